"""SQLite's functions that only read, with those of the extensions that usually come with it.

Left out on purpose: `load_extension`, `fts3_tokenizer`, `optimize`, `sqlite_log`, and the command line's `readfile`,
`writefile` and `edit`.
"""

from __future__ import annotations

from synartesis.policy.sql.words import words

READING = words(
    """
    abs acos acosh asin asinh atan atan2 atanh avg base64 base85 bm25 cast ceil ceiling changes char coalesce concat
    concat_ws cos cosh cosine_distance count cume_dist current_date current_time current_timestamp date datetime
    decimal decimal_add decimal_cmp decimal_mul decimal_sub decimal_sum degrees dense_rank exp first_value floor
    format fts5_source_id generate_series glob group_concat hex highlight ieee754 if ifnull iif instr json json_array
    json_array_insert json_array_length json_each json_error_position json_extract json_group_array json_group_object
    json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type
    json_valid jsonb jsonb_array jsonb_each jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert
    jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set jsonb_tree julianday lag last_insert_rowid
    last_value lead length like likelihood likely ln log log10 log2 lower ltrim match matchinfo max md5 median min mod
    nth_value ntile nullif octet_length offsets percent_rank percentile percentile_cont percentile_disc pi pow power
    pragma_application_id pragma_collation_list pragma_compile_options pragma_data_version pragma_database_list
    pragma_encoding pragma_foreign_key_check pragma_foreign_key_list pragma_foreign_keys pragma_freelist_count
    pragma_function_list pragma_index_info pragma_index_list pragma_index_xinfo pragma_integrity_check
    pragma_journal_mode pragma_module_list pragma_page_count pragma_page_size pragma_pragma_list pragma_quick_check
    pragma_schema_version pragma_table_info pragma_table_list pragma_table_xinfo pragma_user_version printf quote
    radians random randomblob rank regexp replace round row_number rtreecheck rtreedepth rtreenode rtrim sha1 sha3
    sign sin sinh snippet soundex sqlite_compileoption_get sqlite_compileoption_used sqlite_offset sqlite_source_id
    sqlite_version sqrt st_area st_astext st_contains st_distance st_intersects st_within st_x st_y stddev stdev
    strftime string_agg substr substring sum tan tanh time timediff total total_changes trim trunc typeof unhex
    unicode unistr unistr_quote unixepoch unlikely upper uuid uuid_str variance vec_distance_cosine vec_distance_l2
    vec_f32 vec_length vec_version zeroblob
    """
)
