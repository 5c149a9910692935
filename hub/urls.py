"""What is mounted where."""

from django.urls import include, path

from hub.views import health

urlpatterns = [
    path("healthz", health, name="health"),
    path("", include("registry.api.urls")),
    path("", include("frontend.urls")),
]
