# The server built in a container, where base images can be had:
#   docker build -f stacks/ingest-rust/source.Dockerfile -t ladderbench/ingest-rust:0.1.0 stacks
ARG BUILD_IMAGE=rust:1.91.1-slim-bookworm
ARG BASE_IMAGE=debian:12.12-slim
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY _ingest/schema.sql _ingest/
COPY ingest-rust/server ingest-rust/server
RUN cargo install --quiet --locked --path ingest-rust/server --root /out

FROM ${BASE_IMAGE}
COPY --from=build /out/bin/ingest-rust /usr/local/bin/ingest-rust
RUN install -d -o nobody -g nogroup /data
USER nobody
WORKDIR /data
ENV INGEST_HOST=0.0.0.0 INGEST_DATA=/data
EXPOSE 8080
CMD ["ingest-rust"]
