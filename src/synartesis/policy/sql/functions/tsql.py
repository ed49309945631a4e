"""SQL Server's functions that only read.

Left out on purpose: what reaches another server or a file (`openquery`, `openrowset`, `opendatasource`), what carries out a
procedure, locks (`applock_test` only looks), and everything of a database's own (`dbo.f`), which may do anything.
"""

from __future__ import annotations

from synartesis.policy.sql.words import words

READING = words(
    """
    abs acos app_name applock_mode applock_test approx_count_distinct approx_percentile_cont approx_percentile_disc
    ascii asin assemblyproperty asymkey_id asymkeyproperty atan atn2 avg base64_decode base64_encode binary_checksum
    bit_count cast ceiling cert_id certencoded certproperty char charindex checksum checksum_agg choose coalesce
    col_length col_name collationproperty columnproperty columns_updated compress concat concat_ws connectionproperty
    context_info convert cos cot count count_big cume_dist current_date current_request_id current_timestamp
    current_timezone current_timezone_id current_transaction_id current_user cursor_status database_principal_id
    databasepropertyex datalength date_bucket dateadd datediff datediff_big datefromparts datename datepart
    datetime2fromparts datetimefromparts datetimeoffsetfromparts datetrunc day db_id db_name decompress
    decryptbyasymkey decryptbycert decryptbykey decryptbypassphrase degrees dense_rank difference edit_distance
    edit_distance_similarity encryptbyasymkey encryptbycert encryptbykey encryptbypassphrase eomonth error_line
    error_message error_number error_procedure error_severity error_state exp file_id file_idex file_name filegroup_id
    filegroup_name filegroupproperty fileproperty filepropertyex first_value floor format formatmessage
    fulltextcatalogproperty fulltextserviceproperty generate_series get_bit get_filestream_transaction_context
    getansinull getdate getutcdate greatest grouping grouping_id has_dbaccess has_perms_by_name hashbytes host_id
    host_name ident_current ident_incr ident_seed iif index_col indexkey_property indexproperty is_member
    is_objectsigned is_rolemember is_srvrolemember isdate isjson isnull isnumeric jaro_winkler_distance
    jaro_winkler_similarity json_array json_arrayagg json_contains json_modify json_object json_objectagg
    json_path_exists json_query json_value key_guid key_id key_name lag last_value lead least left left_shift len log
    log10 loginproperty lower ltrim max min min_active_rowversion month nchar newid ntile nullif object_definition
    object_id object_name object_schema_name objectproperty objectpropertyex openjson openxml original_db_name
    original_login parse parsename patindex percent_rank percentile_cont percentile_disc permissions pi power product
    quotename radians rand rank regexp_count regexp_instr regexp_like regexp_matches regexp_replace
    regexp_split_to_table regexp_substr replace replicate reverse right right_shift round row_number rowcount_big
    rtrim schema_id schema_name scope_identity serverproperty session_context session_id session_user sessionproperty
    set_bit sign signbyasymkey signbycert sin smalldatetimefromparts soundex space sql_variant_property sqrt square
    stats_date stdev stdevp str string_agg string_escape string_split stuff substring sum suser_id suser_name
    suser_sid suser_sname switchoffset symkeyproperty sysdatetime sysdatetimeoffset system_user sysutcdatetime tan
    tertiary_weights textptr textvalid timefromparts todatetimeoffset translate trigger_nestlevel trim try_cast
    try_convert try_parse type_id type_name typeproperty unicode unistr update upper user user_id user_name var varp
    vector_distance vector_norm vector_normalize vectorproperty verifysignedbyasymkey verifysignedbycert xact_state
    year containstable freetexttable contains freetext exist nodes query value dm_db_database_page_allocations
    dm_db_incremental_stats_properties dm_db_index_operational_stats dm_db_index_physical_stats dm_db_log_info
    dm_db_log_stats dm_db_missing_index_columns dm_db_page_info dm_db_stats_histogram dm_db_stats_properties
    dm_exec_cached_plan_dependent_objects dm_exec_cursors dm_exec_describe_first_result_set
    dm_exec_describe_first_result_set_for_object dm_exec_input_buffer dm_exec_plan_attributes dm_exec_query_plan
    dm_exec_query_plan_stats dm_exec_query_statistics_xml dm_exec_sql_text dm_exec_text_query_plan
    dm_io_virtual_file_stats dm_os_enumerate_fixed_drives dm_os_file_exists dm_os_volume_stats
    dm_sql_referenced_entities dm_sql_referencing_entities fn_builtin_permissions fn_dblog fn_get_audit_file
    fn_helpcollations fn_listextendedproperty fn_my_permissions fn_servershareddrives fn_trace_getinfo
    fn_virtualfilestats fn_virtualservernodes fn_xe_file_target_read_file
    """
)
