"""Text, transcripts and charts as safe HTML; may import envyard.contract only."""
