#!/usr/bin/env bash
# Installs Synartesis for the user who runs it: a private Python environment, and two commands linked into a folder that is on PATH
# already. Edits no shell profile, needs no sudo, and takes itself away again with --uninstall.
#
#   ./install.sh                                             from a clone
#   curl -fsSL .../install.sh | SYNARTESIS_SOURCE=URL bash   from a download
#   ./install.sh --no-link                                   only the environment
#   ./install.sh --uninstall
#
# SYNARTESIS_SOURCE       the archive (.tar.gz) to download where this comes through a pipe
# PYTHON                  which Python to use; 3.11 or newer
# SYNARTESIS_INSTALL_DIR  where the environment goes (default: $XDG_DATA_HOME/synartesis, that is ~/.local/share/synartesis)
#
# Everything stands in functions and the last line calls the first one, so that half a download does nothing.
[ -n "${BASH_VERSION:-}" ] || { echo "error: install.sh is for bash, and this is another shell: bash install.sh, or ... | bash" >&2; exit 1; }
set -euo pipefail

# What SYNARTESIS_SOURCE is where nobody sets it. Set with the first release; until then there is nothing to download.
readonly RELEASE_ARCHIVE=""
readonly COMMANDS=(synartesis synartesis-proxy)
readonly SCRIPT=${BASH_SOURCE[0]:-} # empty where this comes through a pipe

main() {
  local link=yes uninstall=no anyway=no word
  for word in "$@"; do
    case "$word" in
      --no-link) link=no ;;
      --uninstall) uninstall=yes ;;
      --anyway) anyway=yes ;;
      -h | --help) usage && return 0 ;;
      *) stop "install.sh has no option $word" "it takes --no-link, --uninstall and --help" ;;
    esac
  done
  [ -n "${HOME:-}" ] || stop "HOME is not set, so there is no place to install into"
  # What is set for other environments must not reach into this one.
  unset PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV
  DATA=${SYNARTESIS_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/synartesis}
  case "$DATA" in /*) ;; *) DATA=$PWD/$DATA ;; esac
  readonly DATA VENV="$DATA/venv" MADE="$DATA/made"
  if [ "$uninstall" = yes ]; then
    remove_everything "$anyway"
  else
    install_everything "$link"
  fi
}

usage() {
  cat << 'END'
usage: install.sh [--no-link | --uninstall]

Builds a private Python environment for Synartesis and links `synartesis` and
`synartesis-proxy` into the first folder on PATH that can be written.

  --no-link     build the environment, link nothing
  --uninstall   take away what was installed; manifests and journals stay
  --anyway      with --uninstall: although clients still start the proxy

PYTHON names the Python to use, SYNARTESIS_INSTALL_DIR the folder to install
into, SYNARTESIS_SOURCE the archive to download where there is no clone.
END
}

# --- installing

install_everything() {
  local python source
  python=$(find_python)
  make_folder "$DATA"
  SCRATCH=$(mktemp -d "$DATA/download.XXXXXX")
  trap tidy_up EXIT
  source=$(find_source "$python")
  build_environment "$python" "$source"
  say "Installed: $("$VENV/bin/synartesis" --version), in" "  $VENV"
  if [ "$1" = yes ]; then
    link_commands
  else
    unlink_commands
    say "Nothing was linked. The command is:" "  $VENV/bin/synartesis"
  fi
  say "To look at it:     $(spelled) demo" "To begin:          $(spelled) init NAME -- COMMAND" \
    "To take it away:   $(how_to_uninstall)"
}

# What an installation leaves that did not come far: nothing.
tidy_up() {
  rm -rf "$SCRATCH"
  [ -e "$VENV" ] || remove_folders
}

# The one that was named; else the first that is new enough and can make environments.
find_python() {
  local candidate new="" old=""
  local candidates=(python3 python3.14 python3.13 python3.12 python3.11)
  [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
  for candidate in "${candidates[@]}"; do
    command -v "$candidate" > /dev/null 2>&1 || continue
    if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' > /dev/null 2>&1; then
      old=$("$candidate" --version 2>&1 || true)
      old="$candidate is ${old%%$'\n'*}"
    elif "$candidate" -c 'import venv, ensurepip' > /dev/null 2>&1; then
      command -v "$candidate"
      return
    else
      new=$(command -v "$candidate")
    fi
  done
  [ -z "$new" ] || stop "$new cannot make environments: its venv module is not there" \
    "on Debian and Ubuntu: apt install python3-venv; or name another Python: PYTHON=/path/to/python3 install.sh"
  [ -z "${PYTHON:-}" ] || [ -n "$old" ] || stop "there is no $PYTHON (from PYTHON)"
  stop "Synartesis needs Python 3.11 or newer, and ${old:-there is no python3 on PATH}" \
    "install one (https://www.python.org/downloads, or your package manager), or name it: PYTHON=/path/to/python3.12"
}

# The folder of the clone that this script stands in; else an archive, downloaded and unpacked.
find_source() {
  local folder
  if [ -f "$SCRIPT" ]; then
    folder=$(cd "$(dirname "$SCRIPT")" && pwd)
    if [ -f "$folder/pyproject.toml" ] && [ -d "$folder/src/synartesis" ]; then
      echo "$folder"
      return
    fi
  fi
  local archive=${SYNARTESIS_SOURCE:-$RELEASE_ARCHIVE}
  [ -n "$archive" ] || stop "there is no release to download yet, and here is only install.sh without the rest of Synartesis" \
    "run the install.sh of a clone; or name an archive of one: ... | SYNARTESIS_SOURCE=https://.../synartesis.tar.gz bash"
  download "$archive" "$SCRATCH/source.tar.gz" "$1"
  mkdir "$SCRATCH/source"
  tar -xzf "$SCRATCH/source.tar.gz" -C "$SCRATCH/source" 2> /dev/null \
    || stop "what was downloaded from $archive is not an archive (.tar.gz)"
  for folder in "$SCRATCH"/source "$SCRATCH"/source/*/; do
    if [ -f "$folder/pyproject.toml" ] && [ -d "$folder/src/synartesis" ]; then
      echo "${folder%/}"
      return
    fi
  done
  stop "the archive $archive does not hold Synartesis"
}

download() {
  say "Downloading $1 ..." >&2
  if command -v curl > /dev/null 2>&1; then
    curl -fsSL --output "$2" "$1" && return
  elif command -v wget > /dev/null 2>&1; then
    wget -q -O "$2" "$1" && return
  else
    "$3" -c 'import sys, urllib.request; urllib.request.urlretrieve(sys.argv[1], sys.argv[2])' "$1" "$2" 2> /dev/null && return
  fi
  stop "$1 could not be downloaded" "download it by hand, unpack it, and run the install.sh in it"
}

# An environment that is there and works is brought up to date; one that was left half built is built anew.
build_environment() {
  local python=$1 source=$2
  if [ ! -f "$DATA/complete" ] || ! "$VENV/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
    rm -rf "$VENV"
    "$python" -m venv "$VENV" || stop "no environment could be made in $VENV" "see above; PYTHON=... names another Python"
  fi
  rm -f "$DATA/complete"
  say "Setting up in $VENV ..."
  # Versions and hashes are those of the lock files; what is our own is not fetched from anywhere.
  pip install --require-hashes -r "$source/requirements/build.lock" -r "$source/requirements/runtime.lock"
  pip install --no-deps --no-build-isolation --force-reinstall "$source"
  touch "$DATA/complete"
}

pip() {
  PIP_NO_INPUT=1 "$VENV/bin/python" -m pip --disable-pip-version-check --no-cache-dir --quiet "$@" \
    || stop "pip $1 did not succeed; what it said is above" "run install.sh again: it goes on from here"
}

# --- links

link_commands() {
  local folder command
  unlink_commands
  folder=$(find_link_folder) || {
    say "No folder on your PATH can be written, so nothing was linked. The command is:" "  $VENV/bin/synartesis"
    return
  }
  for command in "${COMMANDS[@]}"; do
    ln -s "$VENV/bin/$command" "$folder/$command"
    echo "link $folder/$command" >> "$MADE"
  done
  say "Linked: $folder/synartesis and $folder/synartesis-proxy"
  hash -r
  [ "$(command -v synartesis)" = "$folder/synartesis" ] \
    || say "note: another synartesis comes first on your PATH: $(command -v synartesis)"
}

# The first folder on PATH that can be written and has no other program of that name. Folders of other environments are passed
# over: they come and go.
find_link_folder() {
  local folder command taken
  while IFS= read -r -d : folder; do
    case "$folder" in /*) ;; *) continue ;; esac
    [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ] || continue
    case "$folder" in "$VENV"/* | "${VIRTUAL_ENV:-/no}"/* | */node_modules/*) continue ;; esac
    [ ! -e "$folder/../pyvenv.cfg" ] && [ ! -e "$folder/../conda-meta" ] || continue
    taken=no
    for command in "${COMMANDS[@]}"; do
      if [ -e "$folder/$command" ] || [ -L "$folder/$command" ]; then taken=yes; fi
    done
    [ "$taken" = no ] || continue
    echo "${folder%/}"
    return 0
  done <<< "$PATH:"
  return 1
}

unlink_commands() {
  local kind path
  [ -f "$MADE" ] || return 0
  while read -r kind path; do
    if [ "$kind" = link ] && [ -L "$path" ]; then
      case "$(readlink "$path")" in "$VENV"/*) rm -f "$path" ;; esac
    fi
  done < "$MADE"
  { grep -v '^link ' "$MADE" || true; } > "$MADE.new"
  mv "$MADE.new" "$MADE"
}

# How the command is typed here: by its name where that is ours, else in full.
spelled() {
  local found
  found=$(command -v synartesis || true)
  if [ -n "$found" ] && [ "$(readlink "$found" || true)" = "$VENV/bin/synartesis" ]; then
    echo synartesis
  else
    echo "$VENV/bin/synartesis"
  fi
}

how_to_uninstall() {
  if [ -f "$SCRIPT" ]; then
    echo "$(cd "$(dirname "$SCRIPT")" && pwd)/$(basename "$SCRIPT") --uninstall"
  else
    echo "the same line with: bash -s -- --uninstall"
  fi
}

# --- taking it away

remove_everything() {
  local connected=${SYNARTESIS_HOME:-$HOME/.synartesis}/connected record client
  if [ "$1" = no ] && [ -x "$VENV/bin/synartesis" ] && [ -d "$connected" ]; then
    local commands=""
    for record in "$connected"/*.json; do
      [ -e "$record" ] || continue
      client=$(basename "$record")
      commands="$commands  $(spelled) disconnect ${client%-*.json}"$'\n'
    done
    [ -z "$commands" ] || stop "MCP clients still start the proxy, and could start none of these servers without it" \
      "take it out of them first (--anyway leaves them as they are):"$'\n'"${commands%$'\n'}"
  fi
  [ -d "$DATA" ] || {
    say "Nothing is installed in $DATA."
    return
  }
  unlink_commands
  rm -rf "$VENV" "$DATA/complete" "$DATA"/download.*
  remove_folders
  [ ! -d "$DATA" ] || say "left: $DATA, which holds something else"
  say "Synartesis is gone. Manifests and journals, as in ~/.synartesis, are yours and were left."
}

# The folder that we installed into, and those above it that were made for it.
remove_folders() {
  local folders="" path
  if [ -f "$MADE" ]; then folders=$(sed -n 's/^folder //p' "$MADE"); fi
  rm -f "$MADE"
  rmdir "$DATA" 2> /dev/null || return 0
  while IFS= read -r path; do
    [ -z "$path" ] || rmdir "$path" 2> /dev/null || true
  done <<< "$folders"
}

# --- below: how

# A folder, and a note of each one above it that had to be made, deepest first, so that --uninstall can take them away.
make_folder() {
  local folder=$1 missing=""
  while [ ! -d "$folder" ]; do
    [ "$folder" = "$1" ] || missing="${missing}folder $folder"$'\n'
    folder=$(dirname "$folder")
  done
  mkdir -p "$1" 2> /dev/null || stop "$1 cannot be made: $folder cannot be written" "SYNARTESIS_INSTALL_DIR names another place"
  [ -w "$1" ] || stop "$1 cannot be written" "SYNARTESIS_INSTALL_DIR names another place"
  [ -z "$missing" ] || printf '%s' "$missing" >> "$MADE"
}

say() {
  printf '%s\n' "$@"
}

stop() {
  {
    printf 'error: %s\n' "$1"
    [ $# -lt 2 ] || printf 'hint: %s\n' "$2"
  } >&2
  exit 1
}

main "$@"
