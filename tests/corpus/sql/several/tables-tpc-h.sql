The tables of TPC-H as in sqlglot 30.30.0, tests/helpers.py
licence: MIT, licences/sqlglot.txt

=== 1
CREATE TABLE lineitem (l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber bigint, l_quantity double precision, l_extendedprice double precision, l_discount double precision, l_tax double precision, l_returnflag text, l_linestatus text, l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct text, l_shipmode text, l_comment text)
=== 2
CREATE TABLE orders (o_orderkey bigint, o_custkey bigint, o_orderstatus text, o_totalprice double precision, o_orderdate date, o_orderpriority text, o_clerk text, o_shippriority int, o_comment text)
=== 3
CREATE TABLE customer (c_custkey bigint, c_name text, c_address text, c_nationkey bigint, c_phone text, c_acctbal double precision, c_mktsegment text, c_comment text)
=== 4
CREATE TABLE part (p_partkey bigint, p_name text, p_mfgr text, p_brand text, p_type text, p_size int, p_container text, p_retailprice double precision, p_comment text)
=== 5
CREATE TABLE supplier (s_suppkey bigint, s_name text, s_address text, s_nationkey bigint, s_phone text, s_acctbal double precision, s_comment text)
=== 6
CREATE TABLE partsupp (ps_partkey bigint, ps_suppkey bigint, ps_availqty int, ps_supplycost double precision, ps_comment text)
=== 7
CREATE TABLE nation (n_nationkey bigint, n_name text, n_regionkey bigint, n_comment text)
=== 8
CREATE TABLE region (r_regionkey bigint, r_name text, r_comment text)
