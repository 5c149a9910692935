"""Import names that a wheel must not install: those of other distributions, and modules that
Python imports at its start."""

from __future__ import annotations

import sys

# Python, its copy and pickle modules, Debian's sitecustomize and the installers try to import these
# at every start or use; normally they do not exist.
STARTUP = frozenset(
    """
    sitecustomize usercustomize apport_python_hook org java _manylinux _musllinux _virtualenv
    _distutils_hack _pytest_env pip_system_certs jax_plugins __editable__ __future__ __main__
    __builtin__ __builtins__ builtins
    """.split()  # noqa: SIM905 - a list of quoted words would take a dozen lines
)
STARTUP_PREFIXES = ("_sysconfigdata", "__editable__", "_virtualenv")
# Modules that left, or came to, the standard library in a Python that environments may run on.
STDLIB = sys.stdlib_module_names | frozenset(
    """
    aifc annotationlib asynchat asyncore audioop cgi cgitb chunk compression crypt distutils imghdr
    imp lib2to3 mailcap msilib nis nntplib ossaudiodev pipes profiling smtpd sndhdr spwd sunau
    telnetlib uu xdrlib _colorize _interpreters _pyrepl _suggestions _zstd
    """.split()  # noqa: SIM905
)
# What environments, their frameworks and every installation import, by its module's name; the
# folders that namespaces of many packages share are among them.
LIBRARIES = frozenset(
    """
    _cffi_backend _pytest _yaml
    absl accelerate aiobotocore aiofiles aiohappyeyeballs aiohttp aiosignal aiosqlite airflow
    alembic altair annotated_types anthropic anyio apscheduler archspec argon2 arrow asgiref
    asttokens async_timeout asyncpg attr attrs azure babel backoff backports bcrypt bitsandbytes
    blake3 blinker boto3 botocore bottle brotli brotlicffi bs4 cachetools celery certifi cffi
    chardet charset_normalizer chromadb click cloudpickle cohere colorama comm compressed_tensors
    contourpy coverage cpuinfo cryptography cupy cv2 cycler cython dask dataclasses_json datasets
    dateutil debugpy decorator deepspeed defusedxml deprecated diffusers dill diskcache distlib
    distro django dns docker docstring_parser docutils dotenv einops email_validator envyard
    envyard_runner evaluate execnet executing faiss fastapi fastavro fastjsonschema filelock fire
    flashinfer flask flask_cors frozenlist fsspec gevent git gitdb github gitlab google
    googleapiclient gradio gradio_client greenlet grpc gunicorn gym gymnasium h11 h2 h5py hatch
    hatchling hf_transfer hf_xet hpack html5lib httpcore httptools httpx httpx_sse huggingface_hub
    hyperframe hypothesis idna imageio importlib_metadata importlib_resources iniconfig inspect_ai
    instructor interegular ipykernel IPython ipython ipywidgets isodate itsdangerous jaraco jax
    jaxlib jaxtyping jedi jinja2 jiter jmespath joblib jose json5 jsonpatch jsonpointer jsonschema
    jsonschema_specifications jupyter jupyter_client jupyter_core jwt keras keyring kiwisolver
    kombu kubernetes langchain langchain_core langgraph lark latex2sympy2 latex2sympy2_extended
    lightning litellm llama_index llguidance llvmlite loguru lxml lz4 magic markdown markdown_it
    markupsafe marshmallow math_verify matplotlib mcp mdurl mistral_common mistralai ml_dtypes
    more_itertools motor mpi4py mpl_toolkits mpmath msgpack msgspec msrest multidict multipart
    multiprocess mypy mypy_extensions mysql narwhals nest_asyncio networkx ninja nltk notebook
    numba numexpr numpy nvidia oauthlib ollama omegaconf onnx onnxruntime openai openapi_pydantic
    opencv openenv openpyxl opentelemetry optree orjson outlines packaging pandas paramiko parso
    passlib pathspec peft pexpect pil pillow pip pipenv pkg_resources platformdirs playwright
    plotly pluggy poetry polars portalocker prime_cli prime_core prime_evals prime_rl
    prime_sandboxes prime_tunnel prometheus_client prompt_toolkit propcache proto psutil psycopg
    psycopg2 ptyprocess pure_eval py pyarrow pyasn1 pyasn1_modules pycocotools pycountry pycparser
    pydantic pydantic_ai pydantic_core pydantic_settings pydub pygments pymongo pymysql pynvml
    pyparsing pypdf pytest pytest_asyncio python_multipart pythoncom pytorch_lightning pytz
    pywintypes pywt pyximport pyzmq ray readability redis referencing regex requests
    requests_toolbelt responses rfc3986 rich rich_toolkit rouge_score rpds rsa ruamel ruff s3fs
    s3transfer sacrebleu safetensors sagemaker scipy seaborn selenium sentence_transformers
    sentencepiece sentry_sdk setproctitle setuptools setuptools_scm sglang shapely shellingham
    shtab simple_parsing simplejson site_packages six skimage sklearn skyrl_gym slack_sdk
    smart_open smmap sniffio snowflake socks sortedcontainers soundfile soupsieve sphinx
    sqlalchemy sqlmodel sqlparse srsly sse_starlette stack_data starlette statsmodels stripe
    structlog swebench sympy tabulate tenacity tensorboard tensorboardx tensorflow termcolor
    tests_require textarena textual threadpoolctl tiktoken timm tinycss2 tlz together tokenizers
    toml tomli tomli_w tomlkit toolz torch torch_xla torchao torchaudio torchgen torchvision
    tornado tqdm traitlets transformer_engine transformers tree_sitter trio triton trl truststore
    twisted typeguard typer typing_extensions typing_inspection tzdata tzlocal ujson unsloth
    urllib3 uv uvicorn uvloop vcrpy verifiers virtualenv vllm wandb watchdog watchfiles wcwidth
    webencodings websocket websockets werkzeug wheel win32api win32com win32con wrapt wsproto
    xarray xformers xgrammar xlrd xlsxwriter xmltodict xxhash yaml yarl zipp zmq zope zstandard
    zstd
    """.split()  # noqa: SIM905
)
# Folders of an operating system, of archivers and of installers; nothing can import them.
RESERVED = frozenset({"__macosx", "bin", "__pycache__", "site_packages", "dist_packages"})
# Names that many wheels use by mistake: the files of one replace those of the other.
SHARED = frozenset(
    """
    __init__ app assets benchmark benchmarks build common config configs conftest core data dataset
    dist docs doc env environment envs etc eval example examples helpers include lib lib64 main
    misc models notebooks outputs prompts resources scripts server setup share src static tasks
    templates test tests tmp tools train util utils vendor
    """.split()  # noqa: SIM905
)


def runs_at_start(name: str) -> bool:
    """Whether Python or an installer imports a module of that name without being requested to."""
    return name.lower() in STARTUP or name.lower().startswith(STARTUP_PREFIXES)
