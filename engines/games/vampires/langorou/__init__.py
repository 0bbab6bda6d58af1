"""What four students' player Langorou considers and how it values positions."""
