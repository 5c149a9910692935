"""Settings of Django and its apps that are the same on every hub: no variable changes them."""

# --- Django ----------------------------------------------------------------------------------
INSTALLED_APPS = [
    "hub",  # before Django: its collectstatic replaces Django's
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",  # the templates of its XML
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "registry",
    "frontend",
    "allauth",  # after frontend, whose templates override its own
    "allauth.account",
    "allauth.mfa",
    "django.contrib.humanize",  # its templates use it
]
MIDDLEWARE = [
    "hub.middleware.request_id",
    "hub.middleware.content_security_policy",
    "hub.hosts.check_host",
    "hub.middleware.no_nul",
    "registry.api.simple.early",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "frontend.sessions.middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "frontend.rates.middleware",
    "frontend.known_devices.middleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "frontend.json_twins.middleware",
]
ROOT_URLCONF = "hub.urls"
WSGI_APPLICATION = "hub.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "registry.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# --- API -------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["registry.api.parsers.Json"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "registry.api.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_SCHEMA_CLASS": "registry.api.schema.auto_schema.AutoSchema",
    "EXCEPTION_HANDLER": "registry.api.errors.handle",
}

# --- People ----------------------------------------------------------------------------------
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "frontend.adapter.Adapter"
ACCOUNT_FORMS = {
    "login": "frontend.forms.SignIn",
    "signup": "frontend.forms.SignUp",
    "reset_password": "frontend.forms.ResetPassword",
    "add_email": "frontend.forms.ChangeAddress",
    "change_password": "frontend.forms.ChangePassword",
    "reset_password_from_key": "frontend.forms.NewPassword",
}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_CHANGE_EMAIL = True  # one address per account; a new one needs a confirmation
ACCOUNT_PREVENT_ENUMERATION = "strict"  # no page reveals whether an address has an account
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900  # seconds without another password prompt
ACCOUNT_RATE_LIMITS = {  # all windows last frontend.adapter.WINDOW_SECONDS
    "login": None,  # counted as `sign_in`, which exempts known browsers
    "sign_in": "60/5m/ip",
    "login_failed": "10/5m/ip,10/5m/key",
    "code_failed": "10/5m/ip,10/5m/key",
    "known_device": "10/5m/key",
    "signup": "10/5m/ip",
    "reset_password": "10/5m/ip,3/5m/key",
    "reset_password_from_key": "100/5m/ip",  # its key cannot be guessed
    "reauthenticate": "10/5m/user",
    "change_password": "10/5m/user",
    "manage_email": "10/5m/user",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Envyard"
MFA_RATE_LIMITS = {"webauthn_login": "300/5m/ip"}  # a key's signature cannot be guessed
MFA_FORMS = {
    "activate_totp": "frontend.forms.ActivateTOTP",
    "authenticate": "frontend.attempts.SecondFactor",
    "authenticate_webauthn": "frontend.attempts.SecurityKey",
    "reauthenticate": "frontend.attempts.ConfirmFactor",
    "reauthenticate_webauthn": "frontend.attempts.ConfirmSecurityKey",
}
# A user who can sign in can add a factor; with mandatory verification the address is confirmed.
MFA_ALLOW_UNVERIFIED_EMAIL = True
