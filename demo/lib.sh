# What the demos share: a scratch folder, an agent that talks to the proxy, and checks that end the story where one fails.
# Sourced, not run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(dirname "$here")

command -v synartesis >/dev/null || PATH="$repository/.venv/bin:$PATH"
command -v synartesis >/dev/null || { echo "synartesis is not installed: run make demo once, or install.sh" >&2; exit 2; }
command -v node >/dev/null || { echo "these demos run a real server, which needs node" >&2; exit 2; }

scratch=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/synartesis-demo-XXXXXX")" && pwd -P)
export SYNARTESIS_HOME="$scratch/home"  # nothing of yours is read or written
export NO_COLOR=1
cd "$scratch"

finished=no
leave() {
  if [ "$finished" = yes ]; then
    rm -rf "$scratch"
  else
    printf '\nThis is not as it should be. The folder is kept, to look at: %s\n' "$scratch" >&2
  fi
}
trap leave EXIT

# The command line of a server from npm: the tested version where it is installed (make test-live), else by npx.
server() {
  local script="$repository/.cache/node/node_modules/@modelcontextprotocol/$1/dist/index.js"
  if [ -f "$script" ]; then
    server=(node "$script")
  else
    server=(npx -y "@modelcontextprotocol/$1@$(sed -n "s|.*\"@modelcontextprotocol/$1\": \"\([^\"]*\)\".*|\1|p" \
      "$repository/tests/live/package.json")")
  fi
}

title() { printf '\n%s\n%s\n' "$1" "${1//?/=}"; }
text() { printf '\n'; printf '%s\n' "$@"; }

# checked CLAIM COMMAND...: the claim holds if the command succeeds; else the story ends here.
checked() {
  local claim=$1
  shift
  "$@" >/dev/null || { printf '\nIt should hold that %s.\n' "$claim" >&2; exit 1; }
  printf '  checked: %s.\n' "$claim"
}

# run EXIT_CODE WORD...: a command as a person types it, with its own output; it has to end with this code.
run() {
  local wanted=$1 code=0
  shift
  printf '\n$ synartesis %s\n' "$*"
  synartesis "$@" </dev/null || code=$?
  [ "$code" = "$wanted" ] || { printf '\nIt ended with %s, and should have ended with %s.\n' "$code" "$wanted" >&2; exit 1; }
  [ "$code" = 0 ] || printf '  (exit code %s)\n' "$code"
}

# init NAME COMMAND...: the manifest, from what the server offers. DEMO_EDIT_MANIFEST is a sed command that changes it
# afterwards: to see for yourself that a wrong inverse is found out.
init() {
  local name=$1
  shift
  run 0 init "$name" -- "$@"
  if [ -n "${DEMO_EDIT_MANIFEST:-}" ]; then
    sed -i.before -e "$DEMO_EDIT_MANIFEST" synartesis.yaml
    if cmp -s synartesis.yaml synartesis.yaml.before; then
      echo "DEMO_EDIT_MANIFEST changes nothing" >&2
      exit 2
    fi
  fi
}

# agent TOOL ARGUMENTS [TOOL ARGUMENTS]...: one session of an agent through the proxy; what it was told is in $answers.
agent() {
  local number=0 requests
  requests='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
  requests+='"clientInfo":{"name":"demo-agent","version":"1"}}}'$'\n'
  requests+='{"jsonrpc":"2.0","method":"notifications/initialized"}'$'\n'
  printf '\n'
  while [ $# -gt 0 ]; do
    number=$((number + 1))
    printf 'agent>  %s %s\n' "$1" "$2"
    requests+='{"jsonrpc":"2.0","id":'$number',"method":"tools/call","params":{"name":"'$1'","arguments":'$2'}}'$'\n'
    shift 2
  done
  answers=$(printf '%s' "$requests" | synartesis proxy --log-level error)
  local answered
  answered=$(printf '%s\n' "$answers" | grep -c '"result"') || true
  [ "$answered" = $((number + 1)) ] || { printf '\nThe proxy left a call unanswered:\n%s\n' "$answers" >&2; exit 1; }
}

was_refused() { printf '%s\n' "$answers" | grep -q '"isError": *true'; }
was_not_refused() { ! was_refused; }
waits() { synartesis gates --json | grep -q "\"tool\": \"$1\""; }
same() { cmp -s "$1" "$2"; }
absent() { [ ! -e "$1" ]; }
says() { grep -qF "$2" "$1"; }

the_end() {
  finished=yes
  text "That was all of it. Nothing outside a scratch folder was touched, and the folder is gone again."
}
