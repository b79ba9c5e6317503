# The server built in a container, where base images can be had:
#   docker build -f stacks/meshql-embedded/source.Dockerfile -t ladderbench/meshql-embedded:0.1.0 stacks
ARG BUILD_IMAGE=rust:1.91.1-slim-bookworm
ARG BASE_IMAGE=debian:12.12-slim
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY _meshql/server server
RUN cargo install --quiet --locked --no-default-features --path server --root /out

FROM ${BASE_IMAGE}
COPY --from=build /out/bin/meshql-server /usr/local/bin/meshql-server
RUN install -d -o nobody -g nogroup /data
USER nobody
WORKDIR /data
ENV BIND=0.0.0.0 DATA_DIR=/data STORAGE=embedded
EXPOSE 5088
CMD ["meshql-server"]
