"""What runs inside the sandbox. It needs the standard library alone and imports nothing of the package around it."""
