Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== no server of this kind has that function; it may be one of the database's own
SELECT STAR(tbl, exclude := [foo])
=== it asks a model, which may be a service elsewhere
SELECT AI_AGG(review, 'Summarize the reviews')
=== it asks a model, which may be a service elsewhere
SELECT AI_SUMMARIZE_AGG(review)
=== it asks a model, which may be a service elsewhere
SELECT AI_CLASSIFY('text', ['travel', 'cooking'])
=== which function it calls, a text says
SELECT IDENTIFIER($my_function_name)()
=== which function it calls, a text says
SELECT IDENTIFIER('speed_of_light')()
=== it asks a model, which may be a service elsewhere
SELECT AI_CLASSIFY('text', ['travel', 'cooking'], OBJECT_CONSTRUCT('output_mode', 'multi'))
=== no server of this kind has that function; it may be one of the database's own
SELECT ROLLBACK(3)
=== no server of this kind has that function; it may be one of the database's own
SELECT TRY_CAST(FOO() AS TEXT)
=== it asks a model, which may be a service elsewhere
SELECT model!mladmin
=== it asks a model, which may be a service elsewhere
SELECT model!PREDICT(1)
=== it asks a model, which may be a service elsewhere
SELECT m!PREDICT(INPUT_DATA => {*}) AS p FROM tbl
=== it asks a model, which may be a service elsewhere
SELECT m!PREDICT(INPUT_DATA => {tbl.*}) AS p FROM tbl
=== it asks a model, which may be a service elsewhere
SELECT * FROM TABLE(model_trained_with_labeled_data!DETECT_ANOMALIES(INPUT_DATA => TABLE(view_with_data_to_analyze), TIMESTAMP_COLNAME => 'date', TARGET_COLNAME => 'sales', CONFIG_OBJECT => OBJECT_CONSTRUCT('prediction_interval', 0.99)))
