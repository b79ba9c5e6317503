# Server and processor built in a container, where base images can be had:
#   docker build -f stacks/meshql-distributed/source.Dockerfile -t ladderbench/meshql-distributed:0.1.0 stacks
ARG BUILD_IMAGE=rust:1.91.1-slim-bookworm
ARG BASE_IMAGE=debian:12.12-slim
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY _meshql/server server
COPY _meshql/legacy legacy
RUN cargo install --quiet --locked --path server --root /out && cargo install --quiet --locked --path legacy --root /out

FROM ${BASE_IMAGE}
COPY --from=build /out/bin/meshql-server /out/bin/meshql-legacy /usr/local/bin/
RUN install -d -o nobody -g nogroup /data
USER nobody
WORKDIR /data
ENV BIND=0.0.0.0 DATA_DIR=/data
EXPOSE 5088
CMD ["meshql-server"]
