"""Root URL configuration."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from frontend.adapter import rate_limited as handler429  # noqa: F401 - allauth imports it from here
from frontend.pages.not_found import not_found as handler404  # noqa: F401
from hub.views import bad_request as handler400  # noqa: F401
from hub.views import health, ready
from hub.views import server_error as handler500  # noqa: F401

# The same rate limits and second factor as the pages.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    path("healthz", health, name="health"),
    path("readyz", ready, name="ready"),
    path("admin/", admin.site.urls),
    path("", include("registry.api.urls")),
    path("", include("frontend.urls")),
]
