"""One client, many servers: the era, names, lists, live requests, and the way of every call to the guard and back."""
