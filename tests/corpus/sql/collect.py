"""Makes the published part of this corpus from the source archives of two packages, so that what was taken, and what was set
aside and why, can be read and repeated:

    pip download --no-deps --no-binary :all: sqlglot==30.30.0 ibis-framework==12.0.0
    tar xzf sqlglot-30.30.0.tar.gz && tar xzf ibis_framework-12.0.0.tar.gz
    python tests/corpus/sql/collect.py sqlglot-30.30.0 ibis_framework-12.0.0

Every statement that begins as a read does is taken. Those that SET_ASIDE names go to `held.sql`, with the reason: they are no
reads, or call something that no server of that kind has. Nothing here asks what the gate says.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
DIALECTS = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake")
IBIS_NAME = {"tsql": "mssql"}
BEGINS_AS_A_READ = re.compile(
    r"[\s(]*(?:SELECT|WITH|VALUES|FROM|SHOW|DESCRIBE|DESC|EXPLAIN|PRAGMA|SUMMARIZE|TABLE|PIVOT|UNPIVOT)\b",
    re.IGNORECASE,
)

NOT_THERE = "no server of this kind has that function; it may be one of the database's own"
LOCKS = "it locks"
SETS = "it sets something"
SERVICE = "it asks a model, which may be a service elsewhere"
LEAVES_A_TYPE = "a pivot that looks up its own columns leaves a type in the session"
SET_ASIDE = {
    "postgres": {
        r"\bFOR UPDATE\b": LOCKS,
        r"\bINTO UNLOGGED\b": "it makes a table",
        r"\b(?:SOME_FUNC|GET_PRODUCT_NAMES|VERTICES|MLEAST|FUNC1|LOGICAL_OR)\(": NOT_THERE,
    },
    "mysql": {
        r":=": SETS,
        r"\bFOR (?:UPDATE|SHARE)\b": LOCKS,
        r"\b(?:DAY_OF_\w+|WEEK_OF_YEAR|TIME_STR_TO_TIME)\(": NOT_THERE,
    },
    "sqlite": {r"PRAGMA .*(?:=|\(-?\d+\))": SETS, r"PRAGMA schema": "there is no such pragma"},
    "duckdb": {
        r"\b(?:STAR|LOGICAL_OR)\(": NOT_THERE,
        r"https://": "it asks an address elsewhere",
        r"(?:^|[( ])PIVOT (?!.* IN )\w* ON |PIVOT duckdb_functions|^PIVOT \(": LEAVES_A_TYPE,
    },
    "tsql": {r"\b(?:TABLOCK|NOWAIT|ROWLOCK)\b": LOCKS, r"NEXT VALUE FOR": "it takes a number", r";": "two statements"},
    "bigquery": {
        r"\b(?:ML|AI)\.\w+\(": SERVICE,
        r"UdF|\budfs\.|bqutil": "a function of somebody's own",
        r"\b(?:READ_CSV|GROUP_CONCAT)\(|\bROW\(\) OVER": NOT_THERE,
    },
    "snowflake": {
        r"\bAI_\w+\(|\w!\w+": SERVICE,
        r"\b(?:STAR|ROLLBACK|FOO)\(": NOT_THERE,
        r"IDENTIFIER\([^)]*\)\(": "which function it calls, a text says",
    },
}


def main(sqlglot: Path, ibis: Path) -> None:
    for dialect in DIALECTS:
        aside: list[tuple[str, str]] = []
        name = f"sqlglot 30.30.0, tests/dialects/test_{dialect}.py, what validate_identity is given first"
        kept = _sort(dialect, _tests(sqlglot / "tests" / "dialects" / f"test_{dialect}.py"), aside)
        _write(HERE / dialect / "reads-sqlglot.sql", name, "MIT, licences/sqlglot.txt", kept)
        kept = _sort(dialect, _snapshots(ibis / "ibis" / "backends", IBIS_NAME.get(dialect, dialect)), aside)
        name = f"ibis-framework 12.0.0, ibis/backends/**/snapshots for {IBIS_NAME.get(dialect, dialect)}"
        _write(HERE / dialect / "reads-ibis.sql", name, "Apache-2.0, licences/ibis.txt", kept)
        _write_aside(HERE / dialect / "held.sql", aside)
    for key, where in (("TPC-H", "several"), ("TPC-DS", "several")):
        path = f"tests/fixtures/optimizer/{key.lower()}/{key.lower()}.sql"
        name = f"{key} as in sqlglot 30.30.0, {path}, the first of each pair"
        dialects = "postgres mysql snowflake sqlite" if key == "TPC-H" else "postgres snowflake"
        statements = list(_pairs(sqlglot / path))
        target = HERE / where / f"reads-{key.lower()}.sql"
        _write(target, name, "MIT, licences/sqlglot.txt", statements, more=f"dialects: {dialects}\n")
    for key, folder in (("TPC-H", "h"), ("TPC-DS", "ds")):
        path = f"ibis/backends/tests/tpc/queries/duckdb/{folder}"
        files = sorted((ibis / path).glob("*.sql"))
        statements = [file.read_text(encoding="utf-8").strip().rstrip(";").rstrip() for file in files]
        target = HERE / "duckdb" / f"reads-{key.lower()}.sql"
        _write(target, f"{key} as in ibis-framework 12.0.0, {path}", "Apache-2.0, licences/ibis.txt", statements)
    for key in ("TPC-H", "TPC-DS"):
        _write_tables(HERE / "several" / f"tables-{key.lower()}.sql", key, sqlglot / "tests" / "helpers.py")


def _tests(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr="validate_identity"), args=[ast.Constant(value=str(statement)), *_]):
                yield statement
            case _:
                pass


def _snapshots(folder: Path, name: str) -> Iterator[str]:
    for path in sorted(folder.rglob("*.sql")):
        parts = path.relative_to(folder).parts
        if "tpc" not in parts and any(re.fullmatch(rf"(?:.*-)?{name}(?:[-.].*)?", part) for part in parts):
            yield path.read_text(encoding="utf-8").strip()


def _pairs(path: Path) -> Iterator[str]:
    text = re.sub(r"^(?:--|#).*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    statements = [part.strip() for part in re.split(r";\s*\n", text) if part.strip()]
    yield from statements[::2]


def _sort(dialect: str, statements: Iterator[str], aside: list[tuple[str, str]]) -> list[str]:
    kept = []
    for statement in dict.fromkeys(filter(BEGINS_AS_A_READ.match, statements)):
        why = next((why for pattern, why in SET_ASIDE[dialect].items() if re.search(pattern, statement)), None)
        if why is None:
            kept.append(statement)
        else:
            aside.append((why, statement))
    return kept


def _write(path: Path, source: str, licence: str, statements: list[str], *, more: str = "") -> None:
    blocks = "".join(f"=== {number}\n{statement}\n" for number, statement in enumerate(statements, 1))
    path.write_text(f"{source}\nlicence: {licence}\n{more}\n{blocks}", encoding="utf-8")


def _write_aside(path: Path, aside: list[tuple[str, str]]) -> None:
    blocks = "".join(f"=== {why}\n{statement}\n" for why, statement in aside)
    head = "Statements of the same sources that begin as reads do and were set aside, see collect.py.\n"
    path.write_text(
        f"{head}licence: MIT, licences/sqlglot.txt; Apache-2.0, licences/ibis.txt\n\n{blocks}", encoding="utf-8"
    )


def _write_tables(path: Path, key: str, helpers: Path) -> None:
    tree = ast.parse(helpers.read_text(encoding="utf-8"))
    wanted = f"{key.replace('-', '')}_SCHEMA"
    tables = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == wanted
    )
    made = [
        f"CREATE TABLE {table} ({', '.join(f'{name} {_kind(name, kind)}' for name, kind in columns.items())})"
        for table, columns in tables.items()
    ]
    _write(path, f"The tables of {key} as in sqlglot 30.30.0, tests/helpers.py", "MIT, licences/sqlglot.txt", made)


def _kind(name: str, kind: str) -> str:
    """The columns' types; dates are texts there, and the statements compare them with dates."""
    if name.endswith("date"):
        return "date"
    return {"string": "text", "double": "double precision", "uint": "bigint"}.get(kind.lower(), kind)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
