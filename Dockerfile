# The service as one static binary on nothing: no shell, no libc, no package to patch.
#
#   docker build -t sudoku-server .
#
# Build args, all of them optional: SUDOKU_COMMIT (the commit, also what /version answers), VERSION, SOURCE (the address
# of the repository). One file for amd64 and arm64: the builder's own architecture is the target, so
# `docker buildx build --platform linux/amd64,linux/arm64 .` needs no cross compiler.

# Cargo.toml without its benches, tests and examples: their files are not sent here, and cargo insists on those that are
# named. Being a stage of its own, it also keeps the layer of dependencies below when nothing but those, or a comment, has
# changed; the fixed time is for buildah, which compares times too.
FROM rust:1.95-slim-bookworm AS manifest
WORKDIR /manifest
COPY Cargo.toml Cargo.lock ./
RUN awk '/^ *\[/ { drop = /\[\[(bench|test|example)\]\]/ } NF && !/^ *#/ && !drop' Cargo.toml > kept && mv kept Cargo.toml \
 && touch -d @0 Cargo.toml Cargo.lock

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
# Static, so that it runs without a libc. With --target (below, and the host is the target) the flag reaches the service
# alone: build scripts and macros are loaded or run by the compiler, and must stay dynamic.
# Symbols are for debuggers; a panic logs its place without them.
ENV RUSTFLAGS="-C target-feature=+crt-static" CARGO_PROFILE_RELEASE_STRIP=symbols
RUN rustc -vV | sed -n 's/^host: //p' > /target-triple && test -s /target-triple

# The dependencies, in a layer that only Cargo.toml and Cargo.lock can change: built for an empty package, of which
# nothing is left over that cargo could take for the real one.
COPY --from=manifest /manifest/Cargo.toml /manifest/Cargo.lock ./
RUN mkdir src && touch src/lib.rs && echo 'fn main() {}' | tee src/main.rs > build.rs \
 && cargo build --release --locked --target "$(cat /target-triple)" \
 && cargo clean --release --target "$(cat /target-triple)" --package sudoku-server \
 && rm -r src build.rs

COPY . .
COPY --from=manifest /manifest/Cargo.toml /manifest/Cargo.lock ./
ARG SUDOKU_COMMIT=
RUN cargo build --release --locked --target "$(cat /target-triple)" \
 && cp "target/$(cat /target-triple)/release/sudoku-server" /sudoku-server

FROM scratch
ARG VERSION=0.1.0
ARG SUDOKU_COMMIT=
ARG SOURCE=
LABEL org.opencontainers.image.title="sudoku-server" \
      org.opencontainers.image.description="An HTTP JSON service that solves and validates classic and Killer Sudoku, with evidence for every verdict" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${SUDOKU_COMMIT}" \
      org.opencontainers.image.source="${SOURCE}"
COPY --from=build /sudoku-server /sudoku-server
# Numeric, since there is no /etc/passwd, and Kubernetes' runAsNonRoot cannot check a name.
USER 65532:65532
# The binary's default is loopback, which nobody outside the container would reach.
ENV SUDOKU_HOST=0.0.0.0
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/sudoku-server", "healthcheck"]
ENTRYPOINT ["/sudoku-server"]
