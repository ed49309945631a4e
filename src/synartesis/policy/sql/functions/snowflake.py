"""Snowflake's functions that only read.

Left out on purpose: `system$...` (some cancel, abort, wait or resume), what calls a model or a remote service (`ai_*`,
`snowflake.*`), sequences (`seq.nextval` is a column to a parser: the statement's judge looks at it), `get_presigned_url`,
and everything of a schema's own.
"""

from __future__ import annotations

from synartesis.policy.sql.words import words

READING = words(
    """
    abs acos acosh add_months all_user_names any_value approx_count_distinct approx_percentile
    approx_percentile_accumulate approx_percentile_combine approx_percentile_estimate approx_top_k
    approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate approximate_jaccard_index
    approximate_similarity array_agg array_append array_cat array_compact array_construct array_construct_compact
    array_contains array_distinct array_except array_flatten array_generate_range array_insert array_intersection
    array_max array_min array_position array_prepend array_remove array_remove_at array_reverse array_size array_slice
    array_sort array_to_string array_union_agg array_unique_agg arrayagg arrays_overlap arrays_to_object arrays_zip
    as_array as_binary as_boolean as_char as_date as_decimal as_double as_integer as_number as_object as_real as_time
    as_timestamp_ltz as_timestamp_ntz as_timestamp_tz as_varchar ascii asin asinh atan atan2 atanh
    automatic_clustering_history avg base64_decode_binary base64_decode_string base64_encode bit_and bit_and_agg
    bit_length bit_not bit_or bit_or_agg bit_shiftleft bit_shiftright bit_xor bit_xor_agg bitand bitand_agg bitandagg
    bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg bitnot bitor bitor_agg
    bitoragg bitshiftleft bitshiftright bitxor bitxor_agg bitxoragg booland booland_agg boolnot boolor boolor_agg
    boolxor boolxor_agg bround cast cbrt ceil ceiling char charindex check_json check_xml chr coalesce collate
    collation compress concat concat_ws conditional_change_event conditional_true_event contains convert_timezone
    copy_history corr cos cosh cot count count_if covar_pop covar_samp cume_dist current_account current_account_name
    current_available_roles current_client current_database current_date current_ip_address current_organization_name
    current_organization_user current_region current_role current_role_type current_schema current_schemas
    current_secondary_roles current_session current_statement current_time current_timestamp current_transaction
    current_user current_version current_warehouse data_transfer_history database_refresh_history
    database_storage_usage_history date date_from_parts date_part date_trunc dateadd datediff datefromparts day
    dayname dayofmonth dayofweek dayofweek_iso dayofweekiso dayofyear decode decompress_binary decompress_string
    decrypt decrypt_raw degrees dense_rank div0 div0null dynamic_table_graph_history dynamic_table_refresh_history
    editdistance encrypt encrypt_raw endswith equal_null exp explain_json external_table_file_registration_history
    external_table_files extract factorial filter first_value flatten floor generator get get_absolute_path get_ddl
    get_ignore_case get_object_references get_path get_relative_path getbit getdate getvariable greatest
    greatest_ignore_nulls grouping grouping_id h3_cell_to_boundary h3_cell_to_children h3_cell_to_parent
    h3_cell_to_point h3_grid_disk h3_grid_distance h3_latlng_to_cell h3_latlng_to_cell_string h3_point_to_cell hash
    hash_agg haversine hex_decode_binary hex_decode_string hex_encode hll hll_accumulate hll_combine hll_estimate
    hll_export hll_import hour iff ifnull ilike in infer_schema initcap insert invoker_role invoker_share is_array
    is_binary is_boolean is_char is_database_role_in_session is_date is_date_value is_decimal is_double
    is_granted_to_invoker_role is_instance_role_in_session is_integer is_null_value is_object is_real
    is_role_in_session is_time is_timestamp_ltz is_timestamp_ntz is_timestamp_tz is_varchar jarowinkler_similarity
    json_extract_path_text kurtosis lag last_day last_query_id last_successful_scheduled_time last_transaction
    last_value lead least least_ignore_nulls left len length like like_all like_any listagg ln localtime
    localtimestamp log login_history login_history_by_user lower lpad ltrim map_cat map_contains_key map_delete
    map_insert map_keys map_pick map_size materialized_view_refresh_history max max_by md5 md5_binary md5_hex
    md5_number_lower64 md5_number_upper64 median min min_by minhash minhash_combine minute mod mode month monthname
    months_between next_day normal nth_value ntile nullif nullifzero nvl nvl2 object_agg object_construct
    object_construct_keep_null object_delete object_insert object_keys object_pick objectagg octet_length parse_ip
    parse_json parse_url parse_xml percent_rank percentile_cont percentile_disc pi pipe_usage_history policy_context
    policy_references position pow power previous_day quarter query_acceleration_history query_history
    query_history_by_session query_history_by_user query_history_by_warehouse radians randn random randstr rank
    ratio_to_report reduce regexp regexp_count regexp_extract_all regexp_instr regexp_like regexp_replace
    regexp_substr regexp_substr_all regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy
    regr_syy regr_valx regr_valy repeat replace replication_usage_history result_scan reverse right rlike round
    row_number rpad rtrim rtrimmed_length search search_ip search_optimization_history second seq1 seq2 seq4 seq8
    serverless_task_history sha1 sha1_binary sha1_hex sha2 sha2_binary sha2_hex sign sin sinh skew soundex
    soundex_p123 space split split_part split_to_table sqrt square st_area st_asbinary st_asewkb st_asewkt
    st_asgeojson st_astext st_aswkb st_aswkt st_azimuth st_buffer st_centroid st_collect st_contains st_coveredby
    st_covers st_difference st_dimension st_disjoint st_distance st_dwithin st_endpoint st_envelope st_geogfromgeohash
    st_geogpointfromgeohash st_geographyfromtext st_geographyfromwkb st_geohash st_geometryfromtext st_geometryfromwkb
    st_hausdorffdistance st_intersection st_intersection_agg st_intersects st_isvalid st_length st_makegeompoint
    st_makeline st_makepoint st_makepolygon st_makepolygonoriented st_npoints st_numpoints st_perimeter st_point
    st_pointn st_setsrid st_simplify st_srid st_startpoint st_symdifference st_transform st_union st_union_agg
    st_within st_x st_xmax st_xmin st_y st_ymax st_ymin stage_directory_file_registration_history
    stage_storage_usage_history startswith stddev stddev_pop stddev_samp strip_null_value strtok strtok_split_to_table
    strtok_to_array substr substring sum sysdate system$clustering_depth system$clustering_information
    system$clustering_ratio system$current_user_task_name system$estimate_search_optimization_costs
    system$explain_json_to_text system$explain_plan_json system$get_tag system$last_change_commit_time
    system$pipe_status system$show_active_behavior_change_bundles system$stream_get_table_timestamp
    system$stream_has_data system$tag_get system$typeof systimestamp table tag_references tag_references_all_columns
    tag_references_with_lineage tan tanh task_dependents task_history time time_from_parts time_slice timeadd timediff
    timefromparts timestamp timestamp_from_parts timestamp_ltz_from_parts timestamp_ntz_from_parts
    timestamp_tz_from_parts timestampadd timestampdiff timestampfromparts timestampltzfromparts timestampntzfromparts
    timestamptzfromparts to_array to_binary to_boolean to_char to_date to_decimal to_double to_geography to_geometry
    to_json to_number to_numeric to_object to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_timestamp_tz
    to_varchar to_variant to_xml transform translate trim trunc truncate try_base64_decode_binary
    try_base64_decode_string try_cast try_decrypt try_decrypt_raw try_hex_decode_binary try_hex_decode_string
    try_parse_json try_to_binary try_to_boolean try_to_date try_to_decfloat try_to_decimal try_to_double
    try_to_geography try_to_geometry try_to_number try_to_numeric try_to_time try_to_timestamp try_to_timestamp_ltz
    try_to_timestamp_ntz try_to_timestamp_tz typeof unicode uniform upper uuid_string validate validate_pipe_load
    value var_pop var_samp variance variance_pop variance_samp vector_cosine_similarity vector_inner_product
    vector_l1_distance vector_l2_distance warehouse_load_history warehouse_metering_history week weekiso weekofyear
    width_bucket xmlget year yearofweek yearofweekiso zeroifnull zipf
    """
)
