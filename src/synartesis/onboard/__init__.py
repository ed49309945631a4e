"""From nothing to a guarded agent: servers asked for their tools, manifests drafted and extended, clients connected. Nothing here
decides about a call."""
