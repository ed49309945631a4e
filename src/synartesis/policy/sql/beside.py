"""The texts of a call where no rule says which of them is SQL: all of them, and which could be a statement beside the read.

Plain words, names and numbers are not. A statement is, whatever it is called and wherever it stands: in a list, as a key, in
JSON within a text. Where the argument's name says that it is SQL (`cmd`, `query`), whatever is not a read counts as one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from synartesis.domain.canonical import Json
from synartesis.policy.sql.statement import MAX_LENGTH
from synartesis.policy.sql.words import words


class Text(NamedTuple):
    text: str
    key: str
    """The nearest key above it; empty where there is none."""
    may_be_the_read: bool
    is_a_key: bool = False


def texts_of(arguments: Json) -> Iterator[Text]:
    """Every text of the arguments, in order: values, keys, and what stands in a text that is JSON."""
    waiting: list[tuple[Json, str, int]] = [(arguments, "", 0)]
    while waiting:
        found, key, within = waiting.pop()
        if isinstance(found, str):
            yield Text(found, key, may_be_the_read=len(found) > MAX_LENGTH or _OPENS_A_READ.match(found) is not None)
            if within < _JSON_WITHIN_JSON and (inner := _inner(found)) is not None:
                waiting.append((inner, key, within + 1))
        elif isinstance(found, dict):
            yield from (Text(name, "", may_be_the_read=False, is_a_key=True) for name in found)
            below = key if _key(key) in _PARAMETERS else None
            waiting.extend((value, below or name, within) for name, value in reversed(found.items()))
        elif isinstance(found, list):
            waiting.extend((value, key, within) for value in reversed(found))


def may_matter(text: Text, reads: list[str]) -> bool:
    """Whether a text that is not a read is more than a word beside one."""
    if len(text.text) > MAX_LENGTH:
        return True
    if _key(text.key) in _PARAMETERS and _places(reads) >= 1 and not _CARRIED_OUT.search(text.text):
        return False
    if _key(text.key) in _HOLDS_SQL:
        return bool(text.text.strip()) and text.text.strip().upper() not in _KINDS_OF_READ
    return _may_be_a_statement(text.text)


# --- which may be the read

_JSON_WITHIN_JSON = 3
_SKIPPED = r"(?>\s+|[(;]|--[^\n]*(?:\n|\Z)|\#[^\n]*(?:\n|\Z)|//[^\n]*(?:\n|\Z)|/\*.*?\*/)*+"
_OPENS_A_READ = re.compile(
    _SKIPPED + r"(?:SELECT|WITH|VALUES|SHOW|EXPLAIN|DESCRIBE|DESC|PRAGMA|SUMMARIZE|FROM|TABLE|PIVOT|UNPIVOT)\b",
    re.IGNORECASE | re.DOTALL,
)


def _inner(text: str) -> Json | None:
    if text.lstrip()[:1] not in ("{", "[", '"') or len(text) > MAX_LENGTH:
        return None
    try:
        inner: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return inner


# --- which are a value of the read

_PARAMETERS = words(
    "params parameters param bind binds bindings bindparams queryparams queryparameters positionalparams namedparams"
)
_PLACE = re.compile(r"\?|\$\d+|[:@$]\w+|%s|%\(\w+\)s")
_PLAIN_STRING = re.compile(r"'(?:[^']|'')*'")


def _key(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def _places(reads: list[str]) -> int:
    """How many places the reads have that a value is filled into."""
    return sum(len(_PLACE.findall(_PLAIN_STRING.sub("", read))) for read in reads)


# --- which are a statement

_CARRIED_OUT = re.compile(r"/\*M?!")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/|#[^\n]*", re.DOTALL)
_HEAD = 300
_STRUCTURE = re.compile(r"[\w.$@]+|[^\w\s]")


_HOLDS_SQL = words(
    """
    sql query queries q cmd cmds command commands statement statements stmt stmts script scripts exec execute ddl dml
    sqlquery querysql sqltext querytext rawsql rawquery sqls sqlstatement sqlscript batch
    """
)
_KINDS_OF_READ = words("QUERY READ SELECT")
_ALONE = words(
    """
    ABORT ANALYSE ANALYZE BEGIN BREAK CHECKPOINT CLUSTER COMMIT CONTINUE DEALLOCATE DISCARD DISCONNECT END FLUSH GO HALT KILL
    OPTIMIZE PURGE QUIT RECONFIGURE REFRESH REINDEX RELEASE RESET RESTART RESUME RETURN REVERT ROLLBACK SHUTDOWN SUSPEND
    THROW TRUNCATE UNDROP UNLISTEN UNLOCK VACUUM
    """
)
"""Statements of one word, in one dialect or another."""
_STATEMENTS = _ALONE | words(
    """
    ALTER ASSERT ATTACH BACKUP BINLOG BULK CACHE CALL CHANGE CLONE COMMENT COPY CREATE DBCC DECLARE DELETE DENY DESCRIBE
    DETACH DO DROP DUMP EXEC EXECUTE EXPLAIN EXPORT FORCE GRANT HANDLER IMPORT INSERT INSTALL LISTEN LOAD LOCK MERGE MOVE
    NOTIFY PRAGMA PREPARE PRINT PUT RAISE RAISERROR READTEXT REASSIGN RECEIVE RECOVER REMOVE RENAME REPAIR REPLACE RESTORE
    REVOKE SAVEPOINT SECURITY SELECT SIGNAL START STOP SUMMARIZE TABLE UNCACHE UNINSTALL UNSET UPDATE UPDATETEXT UPSERT VALUES
    WAITFOR WRITETEXT XA
    """
)
"""Where one of these begins a text of more words, it is held, unless that is prose."""
_BEGINS_PROSE = words(
    """
    CALL CHANGE COMMENT COPY DESCRIBE DO END EXPLAIN EXPORT IMPORT LOAD LOCK MOVE NOTIFY PREPARE PUT RAISE RECOVER REFRESH
    RELEASE REMOVE REPAIR RESTORE SIGNAL START STOP SUMMARIZE UPDATE
    """
)
_PROSE = re.compile(r"[A-Za-z][A-Za-z ,.'!?\n-]*")
_ONLY_IN_PROSE = words("THE A AN OF ME MY OUR YOUR THIS THAT THESE THOSE WE YOU IT ITS PLEASE MAYBE")
_NEVER_IN_PROSE = words(
    """
    AS DATABASE DBCC EXEC EXECUTE FROM FUNCTION INDEX INTO PRINT PROCEDURE ROLE SCHEMA SEQUENCE SET TABLE TRIGGER TRUNCATE
    USER USING VALUES VIEW WHERE
    """
)
_FORMS = re.compile(
    r"""
    (?: WITH \s+ (?:RECURSIVE\s+)? \S+ \s* (?:\( | AS\b)
      | FROM \b .* [(;] | FROM \s* ['"]
      | USE \s+ (?: \S+ \s* $ | (?:WAREHOUSE|ROLE|SECONDARY|DATABASE|SCHEMA|CATALOG)\b )
      | SET \s+ \S+ (?:\s+\S+){0,3} \s* (?: = | \bTO\b | \bON\b | \bOFF\b)
      | SET \s+ (?: ROLE | SESSION | LOCAL | GLOBAL | TRANSACTION | PASSWORD | CONSTRAINTS | IDENTITY_INSERT | @)
      | SHOW \s+ \S+ .* [(;]
      | IF \b .* \b (?: BEGIN | THEN | DROP | EXEC | DELETE | INSERT | UPDATE )\b
      | WHILE \b .* \b BEGIN \b
      | (?: OPEN | CLOSE ) \s+ (?:ALL|SYMMETRIC|MASTER)\b | FETCH \s+ .* \b (?:FROM|IN)\b
      | (?: ENABLE | DISABLE ) \s+ TRIGGER \b
      | (?: GET | LIST | LS | RM ) \s+ @
    )
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""Words that prose begins with: only in the form of a statement."""
_WITHIN = re.compile(
    r"""
    \b (?: DELETE\s+FROM | INSERT\s+INTO | MERGE\s+INTO | REPLACE\s+INTO | INTO\s+(?:OUTFILE|DUMPFILE)
         | DROP\s+(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX|USER|ROLE|FUNCTION|PROCEDURE|TRIGGER|SEQUENCE)
         | TRUNCATE\s+TABLE | UPDATE\s+\S+\s+SET | FOR\s+(?:NO\s+KEY\s+)?UPDATE | EXEC(?:UTE)?\s+(?:sp|xp)_ )\b
  | \b (?: nextval | setval | set_config | pg_\w+ | lo_\w+ | dblink\w* | load_extension | load_file | writefile | readfile
         | (?:sp|xp)_\w+ | get_lock | release_lock | sleep | benchmark | query_to_xml\w* | openrowset | openquery
         | external_query | system\$\w+ ) \s* \(
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What would do something wherever a server puts the text: in a condition, in a name."""
_PROCEDURE = re.compile(r"(?:\w*\.)*(?:sp|xp)_\w+", re.IGNORECASE)
_OF_A_CLIENT = re.compile(
    r"\s*(?:\\[!a-z]|\{\s*(?:\?\s*=\s*)?call\b|\.(?:shell|system|read|output|once|import|restore|save|load|open|backup)\b)",
    re.IGNORECASE,
)


def _may_be_a_statement(text: str) -> bool:
    """Whether some part of it starts as a statement does, or holds what would do something anywhere."""
    if _CARRIED_OUT.search(text) or _OF_A_CLIENT.match(text):
        return True
    bare = _COMMENT.sub(" ", text)
    return _WITHIN.search(bare) is not None or any(_begins_a_statement(part) for part in bare.split(";"))


def _begins_a_statement(part: str) -> bool:
    part = part.lstrip(" \t\r\n(")
    found = _STRUCTURE.findall(part, 0, _HEAD)
    if not found:
        return False
    first = found[0].upper()
    if len(found) == 1:
        return first in _ALONE or _PROCEDURE.fullmatch(part.strip()) is not None
    if first in _STATEMENTS:
        return first not in _BEGINS_PROSE or not _is_prose(part, found)
    return _PROCEDURE.fullmatch(found[0]) is not None or _FORMS.match(part) is not None


def _is_prose(part: str, found: list[str]) -> bool:
    """`Update me on the plan`: letters only, a word that no statement has, and none that only statements have."""
    if len(part) > _HEAD or _PROSE.fullmatch(part) is None:
        return False
    named = {word.upper() for word in found}
    return bool(named & _ONLY_IN_PROSE) and not named & _NEVER_IN_PROSE and len(found) > 2
