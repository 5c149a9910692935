"""What is mounted where."""

from django.contrib import admin
from django.urls import include, path

from hub.views import health

urlpatterns = [
    path("healthz", health, name="health"),
    path("admin/", admin.site.urls),
    path("", include("registry.api.urls")),
    path("", include("frontend.urls")),
]
