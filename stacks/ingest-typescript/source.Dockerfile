# The server built in a container, where base images can be had:
#   docker build -f stacks/ingest-typescript/source.Dockerfile -t ladderbench/ingest-typescript:0.1.0 stacks
ARG BUILD_IMAGE=node:22.20.0-bookworm
ARG BASE_IMAGE=node:22.20.0-bookworm-slim
FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY _ingest/schema.sql _ingest/
COPY ingest-typescript/server ingest-typescript/server
RUN node ingest-typescript/server/build.mjs /out && rm -r /out/bin

FROM ${BASE_IMAGE}
COPY --from=build /out /opt/ingest-typescript
RUN install -d -o nobody -g nogroup /data
USER nobody
WORKDIR /data
ENV NODE_ENV=production INGEST_HOST=0.0.0.0 INGEST_DATA=/data
EXPOSE 8080
CMD ["node", "--disable-warning=ExperimentalWarning", "/opt/ingest-typescript/dist/main.js"]
