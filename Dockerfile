# syntax=docker/dockerfile:1
# The image of Sluice: the static binary, the certificates of public authorities, and empty /data and /tmp.
#
#   docker build -t sluice .
#   docker run --rm -p 9324:9324 -v sluice:/data sluice
#
# .release/image builds it without a container engine: it reads what the last stage says, and its tests hold it to the other.
FROM --platform=$BUILDPLATFORM golang:1.26-alpine AS build
ARG TARGETOS TARGETARCH
# Not an older standard library than releases have: the toolchain that go.mod names, where the image's own is older.
ENV GOTOOLCHAIN=auto
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -tags grpcnotrace -ldflags='-s -w -buildid=' -o /out/sluice ./cmd/sluice
RUN mkdir -p /out/etc/ssl/certs /out/data /out/tmp && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ && \
    chown 65532:65532 /out/data && chmod 1777 /out/tmp

FROM scratch
# As a tree, since a directory that is copied by itself loses its mode.
COPY --from=build /out /
LABEL org.opencontainers.image.title="Sluice" \
      org.opencontainers.image.description="Amazon SQS and Alibaba Cloud MNS queues on your own machine" \
      org.opencontainers.image.source="https://github.com/sluicemq/sluice" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
VOLUME /data
# The admin port stays on loopback inside the container: publish it with SLUICE_ADMIN=0.0.0.0:9325, which then asks for a token.
ENV SLUICE_LISTEN=0.0.0.0:9324 SLUICE_DATA=/data
EXPOSE 9324 9325
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["/sluice", "health"]
ENTRYPOINT ["/sluice"]
CMD ["serve"]
