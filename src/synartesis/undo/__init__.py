"""A run, walked backwards: planned purely, looked at before anything is sent, made through the guard's one door, and
proved by reading again. Like the guard it reaches the world only through its ports."""
