"""What all kinds share when a study is played: the run and its folder, stages, progress, the cost."""
