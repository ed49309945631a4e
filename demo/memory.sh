#!/usr/bin/env bash
# The memory server behind the proxy: of two people that an agent adds, one was there already, and undo takes out exactly the
# other one. Then a deletion that takes more with it than was asked for, and its undo. Ends with 0 only if every claim held.
source "$(dirname "$0")/lib.sh"
server server-memory

export MEMORY_FILE_PATH="$scratch/graph.jsonl"
bob='{"name":"Bob","entityType":"person","observations":["likes tea"]}'
ada='{"name":"Ada","entityType":"person","observations":["wrote the first program"]}'
knows='{"from":"Bob","to":"Eve","relationType":"knows"}'

title "What agents remember, and a server that keeps it"
text "The server is asked for its tools. Its policy ships with Synartesis, and fits:"
init memory "${server[@]}"
run 0 check

title "1. Two people are added, and one of them was there already"
text "In the graph so far: Bob, whom he knows, and that he likes tea."
agent create_entities '{"entities":['"$bob"']}' create_relations '{"relations":['"$knows"']}'
cp graph.jsonl before.jsonl
text "Another session adds Ada and, once more, Bob. The server leaves out whom it has:"
agent create_entities '{"entities":['"$ada"',{"name":"Bob","entityType":"person","observations":[]}]}'
checked "Ada is in the graph" says graph.jsonl '"name":"Ada"'
run 0 show
text "An undo that deletes what the agent asked for would take Bob along. This one deletes what the server says it added:"
run 0 undo --yes
checked "the graph is byte for byte what it was" same graph.jsonl before.jsonl
checked "Bob is there, and likes tea" says graph.jsonl "likes tea"

title "2. A deletion takes more with it"
text "Deleting a person also deletes what connects it with others:"
agent delete_entities '{"entityNames":["Bob"]}'
checked "the graph is empty" test ! -s graph.jsonl
text "No one call of this server brings both back. The policy makes two, in this order:"
run 0 undo --yes
checked "Bob and whom he knows are there again" same graph.jsonl before.jsonl

the_end
