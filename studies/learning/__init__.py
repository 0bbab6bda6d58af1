"""What a network of a study is and how it learns; nothing here knows a study's loop."""
