Statements of the same sources that begin as reads do and were set aside, see collect.py.
licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt

=== there is no such pragma
PRAGMA schema
=== it sets something
PRAGMA full_column_names = on
=== it sets something
PRAGMA full_column_names = off
=== it sets something
PRAGMA cache_size = 2000
=== it sets something
PRAGMA foo = -2000
=== it sets something
PRAGMA foo(-2000)
=== it sets something
PRAGMA encoding = 'UTF-16'
=== it sets something
PRAGMA main.cache_size = 2000
=== it sets something
PRAGMA cache_size(2000)
=== it sets something
PRAGMA main.cache_size(2000)
