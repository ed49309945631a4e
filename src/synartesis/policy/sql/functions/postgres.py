"""PostgreSQL's functions that only read: those of its own catalogue that are immutable or stable, the volatile ones that
change nothing (`random`, `clock_timestamp`, sizes and positions), and those of widely used extensions.

Left out on purpose: sequences (`nextval`, `setval`), advisory locks, signals to other sessions, settings (`set_config`),
large objects, files and folders of the server, write-ahead log and replication, whatever carries out a text
(`query_to_xml`, `ts_stat`, `crosstab`, `dblink`), and `txid_current`, which uses up a transaction id.
"""

from __future__ import annotations

from synartesis.policy.sql.words import words

READING = words(
    """
    abbrev abs aclcontains acldefault aclinsert aclremove acos acosd acosh age akeys any_value approximate_row_count
    area array array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims
    array_position array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle
    array_sort array_to_json array_to_string array_to_tsvector array_upper ascii asin asind asinh atan atan2 atan2d
    atand atanh avals avg binary_quantize bit bit_and bit_count bit_length bit_or bit_xor bool bool_and bool_or
    bound_box box bpchar broadcast btrim bytea cardinality casefold cast cbrt ceil ceiling center char char_length
    character character_length chr chunks_detailed_size cidr circle clock_timestamp coalesce col_description
    collation_for concat concat_ws convert convert_from convert_to corr cos cosd cosh cosine_distance cot cotd count
    covar_pop covar_samp crc32 crc32c crypt cube cube_distance cume_dist current_database current_query current_schema
    current_schemas current_setting current_user currval daitch_mokotoff date date_add date_bin date_part
    date_subtract date_trunc datemultirange daterange decode defined degrees dense_rank diagonal diameter difference
    digest div dmetaphone dround dtrunc each earth_box earth_distance encode enum_first enum_last enum_range erf erfc
    every exist exists exp extract factorial family find_srid first first_value float4 float4larger float4smaller
    float8 float8larger float8smaller floor format format_type gamma gcd gen_random_bytes gen_random_uuid gen_salt
    generate_series generate_subscripts get_bit get_byte get_current_ts_config getdatabaseencoding getpgusername
    greatest grouping has_any_column_privilege has_column_privilege has_database_privilege
    has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege has_parameter_privilege
    has_schema_privilege has_sequence_privilege has_server_privilege has_table_privilege has_tablespace_privilege
    has_type_privilege hashtext hashtextextended height hmac host hostmask hstore hstore_to_json hstore_to_jsonb
    hypertable_detailed_size hypertable_size icount icu_unicode_version idx inet inet_client_addr inet_client_port
    inet_merge inet_same_family inet_server_addr inet_server_port initcap inner_product int2 int2larger int2smaller
    int4 int4larger int4multirange int4range int4smaller int8 int8larger int8multirange int8range int8smaller
    intarray_subset interpolate interval is_normalized isclosed isempty isfinite ishorizontal isopen isparallel isperp
    isvertical json json_agg json_agg_strict json_array json_array_elements json_array_elements_text json_array_length
    json_arrayagg json_build_array json_build_object json_each json_each_text json_exists json_extract_path
    json_extract_path_text json_object json_object_agg json_object_keys json_objectagg json_populate_record
    json_populate_recordset json_query json_scalar json_serialize json_strip_nulls json_table json_to_record
    json_to_recordset json_to_tsvector json_typeof json_value jsonb jsonb_agg jsonb_agg_strict jsonb_array_elements
    jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
    jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys
    jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query
    jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
    jsonb_path_query_tz jsonb_populate_record jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax
    jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_to_tsvector jsonb_typeof justify_days justify_hours
    justify_interval l1_distance l2_distance l2_normalize lag last last_value lastval lca lcm lead least left length
    levenshtein levenshtein_less_equal lgamma like line ll_to_earth ln locf log log10 lower lower_inc lower_inf lpad
    lseg ltree2text ltrim macaddr macaddr8_set7bit make_date make_interval make_time make_timestamp make_timestamptz
    makeaclitem masklen max md5 merge_action metaphone min min_scale mod mode multirange mxid_age name netmask network
    nlevel normal_rand normalize now npoints nth_value ntile nullif num_nonnulls num_nulls numeric nummultirange
    numnode numrange obj_description octet_length oid oidlarger oidsmaller overlaps overlay parse_ident path pclose
    percent_rank percentile_cont percentile_disc pg_available_extension_versions pg_available_extensions
    pg_backend_pid pg_basetype pg_blocking_pids pg_buffercache_summary pg_char_to_encoding pg_client_encoding
    pg_collation_actual_version pg_collation_for pg_collation_is_visible pg_column_compression pg_column_is_updatable
    pg_column_size pg_conf_load_time pg_config pg_control_checkpoint pg_control_init pg_control_recovery
    pg_control_system pg_conversion_is_visible pg_current_logfile pg_current_snapshot pg_current_wal_flush_lsn
    pg_current_wal_insert_lsn pg_current_wal_lsn pg_current_xact_id_if_assigned pg_cursor
    pg_database_collation_actual_version pg_database_size pg_describe_object pg_encoding_max_length
    pg_encoding_to_char pg_extension_update_paths pg_filenode_relation pg_freespace pg_function_is_visible pg_get_acl
    pg_get_backend_memory_contexts pg_get_catalog_foreign_keys pg_get_constraintdef pg_get_expr
    pg_get_function_arg_default pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result
    pg_get_function_sqlbody pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_multixact_members
    pg_get_object_address pg_get_partition_constraintdef pg_get_partkeydef pg_get_publication_tables
    pg_get_replica_identity_index pg_get_replication_slots pg_get_ruledef pg_get_serial_sequence
    pg_get_shmem_allocations pg_get_statisticsobjdef pg_get_statisticsobjdef_columns
    pg_get_statisticsobjdef_expressions pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_get_wal_replay_pause_state
    pg_has_role pg_hba_file_rules pg_ident_file_mappings pg_identify_object pg_identify_object_as_address
    pg_index_column_has_property pg_index_has_property pg_indexam_has_property pg_indexam_progress_phasename
    pg_indexes_size pg_is_in_recovery pg_is_other_temp_schema pg_is_wal_replay_paused pg_jit_available
    pg_last_committed_xact pg_last_wal_receive_lsn pg_last_wal_replay_lsn pg_last_xact_replay_timestamp
    pg_listening_channels pg_lock_status pg_mcv_list_items pg_my_temp_schema pg_notification_queue_usage
    pg_opclass_is_visible pg_operator_is_visible pg_opfamily_is_visible pg_partition_ancestors pg_partition_root
    pg_partition_tree pg_postmaster_start_time pg_prepared_statement pg_prepared_xact pg_relation_filenode
    pg_relation_filepath pg_relation_is_publishable pg_relation_is_updatable pg_relation_size
    pg_replication_origin_oid pg_safe_snapshot_blocking_pids pg_sequence_last_value pg_sequence_parameters
    pg_settings_get_flags pg_show_all_file_settings pg_show_all_settings pg_show_replication_origin_status
    pg_snapshot_xip pg_snapshot_xmax pg_snapshot_xmin pg_stat_get_activity pg_stat_get_analyze_count
    pg_stat_get_archiver pg_stat_get_autoanalyze_count pg_stat_get_autovacuum_count pg_stat_get_backend_activity
    pg_stat_get_backend_activity_start pg_stat_get_backend_client_addr pg_stat_get_backend_client_port
    pg_stat_get_backend_dbid pg_stat_get_backend_idset pg_stat_get_backend_pid pg_stat_get_backend_start
    pg_stat_get_backend_userid pg_stat_get_backend_wait_event pg_stat_get_backend_wait_event_type
    pg_stat_get_backend_xact_start pg_stat_get_bgwriter_buf_written_checkpoints pg_stat_get_bgwriter_buf_written_clean
    pg_stat_get_bgwriter_maxwritten_clean pg_stat_get_bgwriter_requested_checkpoints
    pg_stat_get_bgwriter_stat_reset_time pg_stat_get_bgwriter_timed_checkpoints pg_stat_get_blocks_fetched
    pg_stat_get_blocks_hit pg_stat_get_buf_alloc pg_stat_get_buf_fsync_backend pg_stat_get_buf_written_backend
    pg_stat_get_checkpoint_sync_time pg_stat_get_checkpoint_write_time pg_stat_get_checkpointer_num_timed
    pg_stat_get_db_active_time pg_stat_get_db_blk_read_time pg_stat_get_db_blk_write_time
    pg_stat_get_db_blocks_fetched pg_stat_get_db_blocks_hit pg_stat_get_db_checksum_failures
    pg_stat_get_db_checksum_last_failure pg_stat_get_db_conflict_all pg_stat_get_db_conflict_bufferpin
    pg_stat_get_db_conflict_lock pg_stat_get_db_conflict_snapshot pg_stat_get_db_conflict_startup_deadlock
    pg_stat_get_db_conflict_tablespace pg_stat_get_db_deadlocks pg_stat_get_db_idle_in_transaction_time
    pg_stat_get_db_numbackends pg_stat_get_db_session_time pg_stat_get_db_sessions pg_stat_get_db_sessions_abandoned
    pg_stat_get_db_sessions_fatal pg_stat_get_db_sessions_killed pg_stat_get_db_stat_reset_time
    pg_stat_get_db_temp_bytes pg_stat_get_db_temp_files pg_stat_get_db_tuples_deleted pg_stat_get_db_tuples_fetched
    pg_stat_get_db_tuples_inserted pg_stat_get_db_tuples_returned pg_stat_get_db_tuples_updated
    pg_stat_get_db_xact_commit pg_stat_get_db_xact_rollback pg_stat_get_dead_tuples pg_stat_get_function_calls
    pg_stat_get_function_self_time pg_stat_get_function_total_time pg_stat_get_ins_since_vacuum
    pg_stat_get_last_analyze_time pg_stat_get_last_autoanalyze_time pg_stat_get_last_autovacuum_time
    pg_stat_get_last_vacuum_time pg_stat_get_live_tuples pg_stat_get_mod_since_analyze pg_stat_get_numscans
    pg_stat_get_progress_info pg_stat_get_replication_slot pg_stat_get_slru pg_stat_get_snapshot_timestamp
    pg_stat_get_subscription pg_stat_get_subscription_stats pg_stat_get_tuples_deleted pg_stat_get_tuples_fetched
    pg_stat_get_tuples_hot_updated pg_stat_get_tuples_inserted pg_stat_get_tuples_returned pg_stat_get_tuples_updated
    pg_stat_get_vacuum_count pg_stat_get_wal pg_stat_get_wal_receiver pg_stat_get_wal_senders
    pg_stat_get_xact_blocks_fetched pg_stat_get_xact_blocks_hit pg_stat_get_xact_function_calls
    pg_stat_get_xact_numscans pg_stat_get_xact_tuples_deleted pg_stat_get_xact_tuples_fetched
    pg_stat_get_xact_tuples_hot_updated pg_stat_get_xact_tuples_inserted pg_stat_get_xact_tuples_returned
    pg_stat_get_xact_tuples_updated pg_stat_have_stats pg_stat_statements pg_stat_statements_info
    pg_statistics_obj_is_visible pg_table_is_visible pg_table_size pg_tablespace_databases pg_tablespace_location
    pg_tablespace_size pg_timezone_abbrevs pg_timezone_names pg_total_relation_size pg_trigger_depth
    pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible
    pg_typeof pg_visibility pg_visible_in_snapshot pg_wal_lsn_diff pg_walfile_name pg_walfile_name_offset
    pg_xact_commit_timestamp pg_xact_status pgp_pub_decrypt pgp_sym_decrypt pgstatindex pgstattuple pgstattuple_approx
    phraseto_tsquery pi plainto_tsquery point polygon popen position postgis_full_version postgis_lib_version
    postgis_version pow power querytree quote_ident quote_literal quote_nullable radians radius random random_normal
    range_agg range_intersect_agg range_merge rank regclass regexp_count regexp_instr regexp_like regexp_match
    regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regproc regr_avgx
    regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy regtype repeat replace reverse
    right round row row_number row_security_active row_to_json rpad rtrim scale session_user set_bit set_byte
    set_masklen setweight sha224 sha256 sha384 sha512 shobj_description show_trgm sign similarity sin sind sinh skeys
    slope sort soundex split_part sqrt st_area st_asbinary st_asewkb st_asewkt st_asgeojson st_asgml st_askml st_asmvt
    st_asmvtgeom st_assvg st_astext st_azimuth st_boundary st_buffer st_centroid st_closestpoint st_clusterdbscan
    st_clusterkmeans st_collect st_contains st_containsproperly st_convexhull st_coorddim st_coveredby st_covers
    st_crosses st_difference st_dimension st_disjoint st_distance st_distancesphere st_distancespheroid st_dump
    st_dumppoints st_dwithin st_endpoint st_envelope st_equals st_expand st_extent st_exteriorring st_flipcoordinates
    st_force2d st_force3d st_generatepoints st_geogfromtext st_geogfromwkb st_geographyfromtext st_geohash
    st_geometryfromtext st_geometryn st_geometrytype st_geomfromewkb st_geomfromewkt st_geomfromgeohash
    st_geomfromgeojson st_geomfromtext st_geomfromwkb st_hexagongrid st_interiorringn st_intersection st_intersects
    st_isclosed st_isempty st_isring st_issimple st_isvalid st_isvalidreason st_length st_lineinterpolatepoint
    st_linelocatepoint st_linemerge st_linesubstring st_m st_makeenvelope st_makeline st_makepoint st_makepolygon
    st_makevalid st_maxdistance st_multi st_npoints st_numgeometries st_numpoints st_orderingequals st_overlaps
    st_perimeter st_point st_pointfromtext st_pointn st_pointonsurface st_project st_reverse st_rotate st_scale
    st_setsrid st_simplify st_simplifypreservetopology st_snaptogrid st_split st_squaregrid st_srid st_startpoint
    st_subdivide st_symdifference st_tileenvelope st_touches st_transform st_translate st_unaryunion st_union
    st_voronoipolygons st_within st_x st_xmax st_xmin st_y st_ymax st_ymin st_z st_zmax st_zmin statement_timestamp
    stddev stddev_pop stddev_samp strict_word_similarity string_agg string_to_array string_to_table strip strpos
    subltree subpath substr substring subvector sum svals system_user tan tand tanh text text2ltree textlen tidlarger
    tidsmaller time time_bucket time_bucket_gapfill timeofday timestamp timestamptz timetz timezone to_ascii to_bin
    to_char to_date to_hex to_json to_jsonb to_number to_oct to_timestamp to_tsquery to_tsvector transaction_timestamp
    translate trim trim_array trim_scale trunc ts_debug ts_delete ts_filter ts_headline ts_lexize ts_parse ts_rank
    ts_rank_cd ts_token_type tsmultirange tsquery_phrase tsrange tstzmultirange tstzrange txid_current_if_assigned
    txid_current_snapshot txid_snapshot_xip txid_snapshot_xmax txid_snapshot_xmin txid_status txid_visible_in_snapshot
    unaccent unicode_assigned unicode_version uniq unistr unnest upper upper_inc upper_inf uuid uuid_extract_timestamp
    uuid_extract_version uuid_generate_v1 uuid_generate_v4 uuid_generate_v5 uuid_nil uuidv4 uuidv7 var_pop var_samp
    varbit varchar variance vector_dims vector_norm version websearch_to_tsquery width width_bucket word_similarity
    xml xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document xmlagg xmlattributes xmlcomment
    xmlconcat xmlelement xmlexists xmlforest xmlparse xmlpi xmlroot xmlserialize xmltable xmlvalidate xpath
    xpath_exists
    """
)
