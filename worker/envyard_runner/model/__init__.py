"""Model servers: vLLM started and watched on this machine, or any OpenAI-compatible address. May
import nothing else of the runner."""
