"""What the gate says of SQL against what PostgreSQL really does with it."""

from __future__ import annotations

import subprocess
from typing import ClassVar

import pytest

from tests.live.postgresql import Cluster, cluster
from tests.unit.policy.scratch import SHOP, Scratch, State, held_against_the_server

pytestmark = pytest.mark.live


@pytest.mark.timeout(600)
def test_what_passes_the_gate_changes_nothing_when_postgresql_carries_it_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with cluster() as server:
        scratch = Postgres(server)
        try:
            held_against_the_server(scratch, capsys)
        finally:
            scratch.end()


class Postgres(Scratch):
    dialect = "postgres"
    shop: ClassVar[list[str]] = [
        *SHOP,
        "CREATE SEQUENCE ids START 10",
        "CREATE MATERIALIZED VIEW totals AS SELECT sum(total) FROM orders",
        "CREATE FUNCTION sweep() RETURNS bigint LANGUAGE sql AS $$ DELETE FROM orders; SELECT 1::bigint $$",
        "CREATE FUNCTION lower(integer) RETURNS bigint LANGUAGE sql AS 'SELECT sweep()'",
        "CREATE PROCEDURE sweep_all() LANGUAGE sql AS 'DELETE FROM orders'",
    ]

    def __init__(self, server: Cluster) -> None:
        work = server.folder / "work"
        work.mkdir(mode=0o777)
        work.chmod(0o777)
        super().__init__(work)
        self._server = server
        self._session = ""
        self._bystander: subprocess.Popen[bytes] | None = None

    def begin(self, asked: str) -> None:
        self.out.chmod(0o777)
        template = f"pristine_{asked.replace('-', '_')}"
        if self._server.psql(template).returncode != 0:
            self._server.run("createdb", "-h", str(self._server.folder), template)
            self._server.psql(template, ";".join(self.tables(asked)))
        for command in ("DROP DATABASE IF EXISTS scratch WITH (FORCE)", f"CREATE DATABASE scratch TEMPLATE {template}"):
            assert self._server.psql("postgres", command).stderr in ("", _NO_SUCH_DATABASE)
        self._bystander = self._server.start_psql("postgres", "SELECT pg_sleep(3600)", name="bystander")
        while self._server.psql("postgres", _BYSTANDER).stdout.strip() != "1":
            assert self._bystander.poll() is None
        self.carry_out("SELECT 1")

    def end(self) -> None:
        if self._bystander is not None:
            self._bystander.kill()
            self._bystander.wait()
            self._server.psql("postgres", f"SELECT pg_terminate_backend(pid) {_BYSTANDER.partition(')')[2]}")

    def carry_out(self, text: str) -> bool:
        if "\0" in text:
            return False  # no command line and no message can hold it
        done = self._server.psql("scratch", text, _SESSION)
        self._session = done.stdout.rpartition("session: ")[2]
        return "ERROR:" not in done.stderr and "FATAL:" not in done.stderr

    def state(self) -> State:
        found = self._server.psql("scratch", *_DATABASE.values()).stdout.splitlines()
        assert len(found) == len(_DATABASE)
        return {"session": self._session, **dict(zip(_DATABASE, found, strict=True))}


_NO_SUCH_DATABASE = 'NOTICE:  database "scratch" does not exist, skipping\n'
_BYSTANDER = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bystander'"
_SESSION = """
SELECT 'session: ' || concat_ws(' | ', current_user, session_user, now() = statement_timestamp(),
  (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'),
  (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE name <> ''),
  (SELECT count(*) FROM pg_listening_channels()),
  (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings WHERE source = 'session'))
"""
_DATABASE = {
    "rows": """
        SELECT md5(coalesce(string_agg(query_to_xml(format('SELECT ctid, xmin, xmax, x.* FROM %s x', oid::regclass),
          false, false, '')::text, '' ORDER BY oid), ''))
        FROM pg_class WHERE relkind IN ('r', 'm') AND relnamespace = 'public'::regnamespace""",
    "sequences": "SELECT coalesce(string_agg(sequencename || ' ' || coalesce(last_value, 0), ' '), '-') FROM pg_sequences",
    "transactions": "SELECT pg_snapshot_xmax(pg_current_snapshot())",
    "statistics": "SELECT coalesce(max(stats_reset)::text, '-') FROM pg_stat_database WHERE datname = 'scratch'",
    "the bystander's session": _BYSTANDER,
}
