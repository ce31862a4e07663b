# syntax=docker/dockerfile:1
# The image of Sluice: the static binary, the certificates of public authorities, and an empty /data.
#
#   docker build -t sluice .
#   docker run --rm -p 9324:9324 -v sluice:/data sluice
#
# .release/image builds the same image without a container engine.
FROM --platform=$BUILDPLATFORM golang:1.26-alpine AS build
ARG TARGETOS TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags='-s -w -buildid=' -o /out/sluice ./cmd/sluice && \
    mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/sluice /sluice
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
VOLUME /data
# The admin port stays on loopback inside the container: publish it with SLUICE_ADMIN=0.0.0.0:9325, which then asks for a token.
ENV SLUICE_LISTEN=0.0.0.0:9324 SLUICE_DATA=/data
EXPOSE 9324 9325
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["/sluice", "health"]
ENTRYPOINT ["/sluice"]
CMD ["serve"]
