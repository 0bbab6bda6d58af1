"""Files of positions with acceptable actions, put to engines."""
