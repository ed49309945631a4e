-- The journal, format 5. Read with: what is one row, who may change it, and when.
--
-- Payloads (arguments, answers, inverses) are stored as they came: a BLOB is the bytes themselves; a TEXT is the sha256 of a
-- row of `blobs` that holds them; an empty TEXT is a payload that was pruned. Ids that a person sees are texts; rows point
-- at each other by number, and a number is also the order in which things were written, which no clock can turn round.
-- Times are ISO 8601, UTC, with microseconds and a Z.

CREATE TABLE processes (
    number  INTEGER PRIMARY KEY,
    pid     INTEGER NOT NULL,
    started TEXT NOT NULL,
    UNIQUE (pid, started)
);

CREATE TABLE servers (
    number   INTEGER PRIMARY KEY,
    name     TEXT NOT NULL,
    identity TEXT NOT NULL,
    UNIQUE (identity, name)
);

-- Which processes of servers were started by whom: they may outlive a proxy that was killed, and still do what they were sent.
CREATE TABLE server_processes (
    number  INTEGER PRIMARY KEY,
    process INTEGER NOT NULL REFERENCES processes,  -- that started it
    server  TEXT NOT NULL,                          -- its name in the manifest
    pid     INTEGER NOT NULL,                       -- it leads a process group of this number
    started TEXT NOT NULL,
    UNIQUE (process, server, pid, started)
);

CREATE TABLE runs (
    number          INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL CHECK (kind IN ('agent', 'undo')),
    agent           TEXT NOT NULL,
    manifest        TEXT NOT NULL,
    manifest_digest TEXT NOT NULL,
    servers         BLOB NOT NULL,   -- packed: name, identity, name, identity ...
    process         INTEGER NOT NULL REFERENCES processes,
    undoes          TEXT,            -- the id of the run that this one undoes
    era             TEXT,
    opening         BLOB NOT NULL DEFAULT x'',
    started_at      TEXT NOT NULL,
    ended_at        TEXT
);
CREATE INDEX runs_undoing ON runs (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at);

-- What `list` shows of a run, so that it never has to count. Written in the same transaction as what it counts.
CREATE TABLE tallies (
    run       INTEGER PRIMARY KEY REFERENCES runs,
    actions   INTEGER NOT NULL DEFAULT 0,
    waiting   INTEGER NOT NULL DEFAULT 0,  -- requests that wait for a decision
    in_flight INTEGER NOT NULL DEFAULT 0,  -- sent or paused, and not readonly
    unknown   INTEGER NOT NULL DEFAULT 0,  -- unknown, and not readonly
    changes   INTEGER NOT NULL DEFAULT 0,  -- applied, and not readonly
    undone    INTEGER NOT NULL DEFAULT 0   -- of the changes: those that are undone
);

CREATE TABLE actions (
    number          INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    run             INTEGER NOT NULL REFERENCES runs,
    seq             INTEGER NOT NULL,
    server          INTEGER NOT NULL REFERENCES servers,
    tool            TEXT NOT NULL,
    arguments       NOT NULL,
    tool_class      TEXT NOT NULL,
    fingerprint     TEXT NOT NULL,
    status          TEXT NOT NULL,
    resource        TEXT,
    read            ,                      -- packed: server, tool, arguments, rules
    before_state    TEXT,
    before_why      TEXT,
    before_is_error INTEGER,
    before_answer   ,
    captured_read     ,                    -- what the snapshot found, where `read` is another read; NULL otherwise
    captured_state    TEXT,
    captured_why      TEXT,
    captured_is_error INTEGER,
    captured_answer   ,
    planned         ,                      -- the inverse as known when the call was sent; packed
    undoes          INTEGER REFERENCES actions,
    undoes_step     INTEGER NOT NULL DEFAULT 0,
    claim_released  INTEGER NOT NULL DEFAULT 0,  -- this inverse was itself undone, so its action may be undone again
    approval        INTEGER REFERENCES approvals,
    undone          TEXT,                  -- the last finding about this action
    note            TEXT NOT NULL DEFAULT '',
    at              TEXT NOT NULL,
    UNIQUE (run, seq)
);
-- The claim by which two undos at once are told apart: one live inverse per action and step.
CREATE UNIQUE INDEX actions_claim ON actions (undoes, undoes_step)
    WHERE undoes IS NOT NULL AND claim_released = 0
    AND status IN ('recorded', 'sent', 'paused', 'applied', 'unknown');
CREATE INDEX actions_inverses ON actions (undoes) WHERE undoes IS NOT NULL;
-- Calls that are no reads, by what they are about. Not by status, which would have every move rewrite it.
CREATE INDEX actions_resource ON actions (server, resource) WHERE tool_class <> 'readonly';
-- Calls that a person may be asked about again, by what exactly they said.
CREATE INDEX actions_repeated ON actions (fingerprint) WHERE tool_class = 'irreversible' OR approval IS NOT NULL;

-- What became of a call. Apart from it, because a row that grows moves its neighbours, and this one is written while somebody
-- waits.
CREATE TABLE outcomes (
    action         INTEGER PRIMARY KEY,    -- REFERENCES actions: not declared, see events
    reply          ,
    after_state    TEXT,
    after_why      TEXT,
    after_is_error INTEGER,
    after_answer   ,
    inverse                                -- the inverse as known when it was applied; packed; 1 is `planned`
);

-- A request for a decision; the row of the held call is the request, hence the key.
CREATE TABLE approvals (
    action       INTEGER PRIMARY KEY REFERENCES actions,
    fingerprint  TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('waiting', 'granted', 'reserved', 'used', 'denied', 'lapsed')),
    why          TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    attempts     INTEGER NOT NULL DEFAULT 1,
    decided_at   TEXT,
    decided_by   TEXT NOT NULL DEFAULT '',
    reason       TEXT NOT NULL DEFAULT '',
    spent_by     INTEGER REFERENCES actions,
    asker        TEXT NOT NULL DEFAULT '',       -- the name of the proxy that asked, where there is an approver
    asked_by     INTEGER REFERENCES processes,   -- its process
    signature    TEXT NOT NULL DEFAULT '',       -- of a grant, by the approver
    asked_in     INTEGER REFERENCES runs,        -- the run that asked last
    seen_read     ,                              -- what a read declared by the rule found when the call was held
    seen_state    TEXT,
    seen_why      TEXT,
    seen_is_error INTEGER,
    seen_answer   ,
    says         TEXT NOT NULL DEFAULT ''        -- what the rule tells whoever decides, a line each
);
CREATE UNIQUE INDEX approvals_waiting ON approvals (fingerprint, asker) WHERE status = 'waiting';
CREATE INDEX approvals_fingerprint ON approvals (fingerprint);
CREATE INDEX approvals_status ON approvals (status);
CREATE INDEX approvals_spent ON approvals (spent_by) WHERE spent_by IS NOT NULL;

CREATE TABLE blobs (
    number   INTEGER PRIMARY KEY,
    digest   TEXT NOT NULL UNIQUE,  -- sha256 of the bytes, in hexadecimal
    size     INTEGER NOT NULL,      -- of the bytes, before compression
    encoding TEXT NOT NULL CHECK (encoding IN ('plain', 'zlib', 'parts')),
    body     BLOB NOT NULL          -- of parts: their digests, 32 bytes each
);

-- Everything decided and done, appended and never changed; see chain.py for what the two digests cover.
CREATE TABLE events (
    number  INTEGER PRIMARY KEY,
    kind    TEXT NOT NULL,
    run     INTEGER,                -- REFERENCES runs, actions and processes: not declared, a look-up for each would cost a
    action  INTEGER,                -- third of writing an event, and nothing that an event speaks of is ever deleted
    at      TEXT NOT NULL,
    who     TEXT NOT NULL DEFAULT '',
    process INTEGER NOT NULL,
    note    TEXT NOT NULL DEFAULT '',
    covers  INTEGER NOT NULL,       -- which groups of columns `content` covers
    salt    BLOB,                   -- goes when the payloads go; without it `content` says nothing about them
    content BLOB NOT NULL,
    digest  BLOB NOT NULL           -- covers the row before as well
);

-- The key that approvals are signed with; the last row holds, and an empty key is none. Its number is that of its event.
CREATE TABLE approvers (
    number INTEGER PRIMARY KEY REFERENCES events,
    public TEXT NOT NULL
);

-- A person let one tool be called so many times more in one run. Its number is that of its event.
CREATE TABLE allowances (
    number     INTEGER PRIMARY KEY REFERENCES events,
    request    INTEGER NOT NULL REFERENCES approvals,  -- on which it was given
    run        INTEGER NOT NULL REFERENCES runs,
    server     INTEGER NOT NULL REFERENCES servers,
    tool       TEXT NOT NULL,
    uses       INTEGER NOT NULL,
    used       INTEGER NOT NULL DEFAULT 0,
    at         TEXT NOT NULL,
    by         TEXT NOT NULL,
    reason     TEXT NOT NULL,
    asker      TEXT NOT NULL,
    signature  TEXT NOT NULL,
    revoked_at TEXT
);
CREATE INDEX allowances_run ON allowances (run);

-- While one of these has not ended, no proxy lets a write leave. Its number is that of its event.
CREATE TABLE freezes (
    number    INTEGER PRIMARY KEY REFERENCES events,
    id        TEXT NOT NULL UNIQUE,
    at        TEXT NOT NULL,
    by        TEXT NOT NULL,
    reason    TEXT NOT NULL,
    ended_at  TEXT,
    ended_by  TEXT NOT NULL DEFAULT '',
    signature TEXT NOT NULL DEFAULT ''                 -- of the end, by the approver
);

-- What an undo proved about an action; its number is that of its event.
CREATE TABLE findings (
    number   INTEGER PRIMARY KEY REFERENCES events,
    action   INTEGER NOT NULL REFERENCES actions,
    undo_run TEXT NOT NULL,
    inverse  TEXT,
    undone   TEXT NOT NULL,
    verified INTEGER NOT NULL,
    detail   NOT NULL
);
CREATE INDEX findings_action ON findings (action);

-- What commands ask of living proxies. No history: what comes of an order is a run of its own, and a row goes when it was
-- answered. Moves as ORDER_MOVES says, so that either the proxy does it, or whoever asked, and never both.
CREATE TABLE orders (
    number    INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    asked_of  INTEGER NOT NULL REFERENCES runs,   -- the run whose proxy is meant
    what      TEXT NOT NULL CHECK (what IN ('undo', 'look')),
    about     TEXT NOT NULL,                      -- the id of the run to walk back, or of the action to look at
    manifest  TEXT NOT NULL,
    options   BLOB NOT NULL,                      -- JSON
    by        TEXT NOT NULL,
    signature TEXT NOT NULL,
    signed_at TEXT NOT NULL,
    status    TEXT NOT NULL,
    asker     INTEGER NOT NULL REFERENCES processes,
    taker     INTEGER REFERENCES processes,
    stops     INTEGER NOT NULL DEFAULT 0,
    phase     TEXT NOT NULL DEFAULT '',
    done      INTEGER NOT NULL DEFAULT 0,
    total     INTEGER NOT NULL DEFAULT 0,
    answer    BLOB NOT NULL DEFAULT x''
);
CREATE INDEX orders_waiting ON orders (asked_of) WHERE status = 'waiting';
