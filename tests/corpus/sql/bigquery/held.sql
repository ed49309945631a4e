Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== a function of somebody's own
SELECT `p.d.UdF`(data) FROM `p.d.t`
=== no server of this kind has that function; it may be one of the database's own
SELECT * FROM READ_CSV('bla.csv')
=== a function of somebody's own
SELECT `p.d.UdF`(data).* FROM `p.d.t`
=== a function of somebody's own
SELECT `project-id`.udfs.func(call.dir)
=== no server of this kind has that function; it may be one of the database's own
SELECT ROW() OVER (y ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM x WINDOW y AS (PARTITION BY CATEGORY)
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.PREDICT(MODEL mydataset.mymodel, (SELECT label, column1, column2 FROM mydataset.mytable))
=== it asks a model, which may be a service elsewhere
SELECT label, predicted_label1, predicted_label AS predicted_label2 FROM ML.PREDICT(MODEL mydataset.mymodel2, (SELECT * EXCEPT (predicted_label), predicted_label AS predicted_label1 FROM ML.PREDICT(MODEL mydataset.mymodel1, TABLE mydataset.mytable)))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.PREDICT(MODEL mydataset.mymodel, (SELECT custom_label, column1, column2 FROM mydataset.mytable), STRUCT(0.55 AS threshold))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.PREDICT(MODEL `my_project`.my_dataset.my_model, (SELECT * FROM input_data))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.PREDICT(MODEL my_dataset.vision_model, (SELECT uri, ML.RESIZE_IMAGE(ML.DECODE_IMAGE(data), 480, 480, FALSE) AS input FROM my_dataset.object_table))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.PREDICT(MODEL my_dataset.vision_model, (SELECT uri, ML.CONVERT_COLOR_SPACE(ML.RESIZE_IMAGE(ML.DECODE_IMAGE(data), 224, 280, TRUE), 'YIQ') AS input FROM my_dataset.object_table WHERE content_type = 'image/jpeg'))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.FEATURES_AT_TIME((SELECT 1), num_rows => 1)
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.FEATURES_AT_TIME(TABLE mydataset.feature_table, time => '2022-06-11 10:00:00+00', num_rows => 1, ignore_feature_nulls => TRUE)
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.TRANSLATE(MODEL `mydataset.mytranslatemodel`, TABLE `mydataset.mybqtable`, STRUCT('translate_text' AS translate_mode, 'zh-CN' AS target_language_code))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.FORECAST(MODEL `mydataset.mymodel`, STRUCT(2 AS horizon))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.FORECAST(MODEL `mydataset.mymodel`, TABLE `mydataset.mybqtable`, STRUCT(2 AS horizon, 4 AS confidence_level))
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.FORECAST(MODEL `mydataset.mymodel`, (SELECT * FROM mydataset.query_table), STRUCT())
=== it asks a model, which may be a service elsewhere
SELECT * FROM AI.FORECAST(TABLE citibike_trips, data_col => 'num_trips', timestamp_col => 'date', horizon => 30)
=== it asks a model, which may be a service elsewhere
SELECT * FROM AI.FORECAST((SELECT * FROM citibike_trips), data_col => 'num_trips', timestamp_col => 'date', horizon => 30)
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.GENERATE_TEXT(MODEL `mydataset.gemini_model`, TABLE `mydataset.prompt_table`, STRUCT(0.15 AS temperature))
=== it asks a model, which may be a service elsewhere
SELECT * FROM AI.GENERATE_TEXT(MODEL `mydataset.gemini_model`, TABLE `mydataset.prompt_table`, STRUCT(0.15 AS temperature))
=== it asks a model, which may be a service elsewhere
SELECT * FROM AI.GENERATE_TABLE(MODEL `mydataset.gemini_model`, (SELECT 'Q' AS prompt), STRUCT('name STRING' AS output_schema))
=== it asks a model, which may be a service elsewhere
SELECT AI.GENERATE_BOOL(MODEL `mydataset.gemini_model`, 'Is sky blue?')
=== it asks a model, which may be a service elsewhere
SELECT AI.EMBED('hello')
=== it asks a model, which may be a service elsewhere
SELECT AI.SIMILARITY('a', 'b')
=== it asks a model, which may be a service elsewhere
SELECT AI.GENERATE('Write a haiku')
=== it asks a model, which may be a service elsewhere
SELECT AI.GENERATE('Write a haiku', endpoint => 'gemini-2.5-flash', model_params => JSON '{"generationConfig": {"temperature": 0}}')
=== no server of this kind has that function; it may be one of the database's own
SELECT a, GROUP_CONCAT(b) FROM table GROUP BY a
=== it asks a model, which may be a service elsewhere
SELECT * FROM ML.TRANSLATE(MODEL `mydataset.mymodel`, (SELECT comment AS text_content FROM mydataset.mytable), STRUCT('translate_text' AS translate_mode, 'en' AS target_language_code))
=== a function of somebody's own
SELECT
  bqutil.fn.from_hex('face') AS `from_hex_0_'face'`
