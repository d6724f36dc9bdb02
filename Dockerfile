# The live classroom as a container: docker build --tag homeroom . && docker run -p 8000:8000 homeroom
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
# node and npm, which build the pages, come with the build requirements
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
RUN --mount=from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(ls /wheels/homeroom-*.whl)[live,postgres]" \
    && useradd --create-home --uid 1000 homeroom \
    && install -d -o homeroom /data
USER homeroom
ENV XDG_DATA_HOME=/data PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
CMD ["homeroom", "serve", "--host", "0.0.0.0"]
