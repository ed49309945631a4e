#!/usr/bin/env bash
# The filesystem server behind the proxy: two files damaged and back byte for byte, a person's edit that stops the undo, and
# a directory that this server could not remove again. Ends with 0 only if every claim held.
source "$(dirname "$0")/lib.sh"
server server-filesystem

mkdir notes kept
printf 'buy milk\ncall Ada\n' >notes/todo.md
printf '# Plan\n\n1. Rest.\n' >notes/plan.md
cp notes/* kept/

title "A folder of yours, and a server that an agent writes to it with"
text "The server is asked for its tools. Its policy ships with Synartesis, and fits:"
init files "${server[@]}" "$scratch/notes"
run 0 check

title "1. Two files are damaged, and come back"
text "The agent was asked to tidy up. It overwrites one file and moves the other away:"
agent write_file '{"path":"'"$scratch"'/notes/todo.md","content":"(nothing to do)\n"}' \
  move_file '{"source":"'"$scratch"'/notes/plan.md","destination":"'"$scratch"'/notes/old-plan.md"}'
checked "the agent noticed nothing of the proxy" was_not_refused
checked "todo.md is overwritten" says notes/todo.md "(nothing to do)"
checked "plan.md is not where it was" absent notes/plan.md
run 0 show
run 0 undo --yes
checked "todo.md is byte for byte what it was" same notes/todo.md kept/todo.md
checked "plan.md is byte for byte what it was" same notes/plan.md kept/plan.md
checked "old-plan.md is gone" absent notes/old-plan.md

title "2. Somebody else was there since: undo stops"
text "The same damage again. But this time you write into the file before you think of undo:"
agent write_file '{"path":"'"$scratch"'/notes/todo.md","content":"(nothing to do)\n"}' \
  move_file '{"source":"'"$scratch"'/notes/plan.md","destination":"'"$scratch"'/notes/old-plan.md"}'
printf 'but do call Grace!\n' >>notes/todo.md
cp notes/todo.md kept/edited.md
run 1 undo --yes
checked "your edit is there, byte for byte" same notes/todo.md kept/edited.md
checked "nothing was sent: plan.md is still away" absent notes/plan.md
text "The other file has nothing to do with your edit:"
run 1 undo --yes --as-far-as-possible
checked "plan.md is back" same notes/plan.md kept/plan.md
checked "and your edit is still there" same notes/todo.md kept/edited.md

title "3. What could not be taken back waits for you"
text "This server makes directories and cannot remove them. So the agent has to ask:"
agent create_directory '{"path":"'"$scratch"'/notes/archive"}'
checked "the agent was refused" was_refused
checked "no directory was made" absent notes/archive
checked "the request waits for you" waits create_directory
run 0 gates

the_end
