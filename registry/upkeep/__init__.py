"""What operators do to the whole hub: prove that rows and bytes agree, copy it, bring it back."""
