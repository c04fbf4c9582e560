# The server's image: built from source, run without rights.
#
#   docker build -t scatterd .
#   docker run -p 50051:50051 --read-only --cap-drop ALL scatterd
#
# Every flag is also an environment variable (docs/server.md), which the health
# check reads too; so set SCATTERD_LISTEN rather than --listen.

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY deploy/install_packages.sh deploy/
RUN deploy/install_packages.sh build && rm -rf /var/lib/apt/lists/*
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY core core
COPY proto proto
COPY client client
COPY server server
RUN cmake --preset release -DSCATTERD_BUILD_TESTS=OFF \
      -DSCATTERD_BUILD_BENCHMARKS=OFF \
  && cmake --build --preset release --target scatterd \
  && cmake --install build/release --prefix /install --component server --strip

FROM debian:bookworm-slim
COPY deploy/install_packages.sh /tmp/
RUN /tmp/install_packages.sh runtime \
  && rm -rf /tmp/install_packages.sh /var/lib/apt/lists/* /var/cache/apt/* \
    /var/log/* /usr/share/doc/*/changelog*
COPY LICENSE /usr/share/doc/scatterd/
COPY --from=build /install/bin/scatterd /usr/local/bin/
USER 10001:10001
EXPOSE 50051
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["/usr/local/bin/scatterd", "--health_check"]
ENTRYPOINT ["/usr/local/bin/scatterd"]
