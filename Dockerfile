# docker build -t pix-sandbox . && docker run -p 127.0.0.1:7490:7490 pix-sandbox
FROM node:22-slim AS build
WORKDIR /build
COPY . .
RUN npm ci --no-audit --no-fund && npm pack --silent
RUN sh release/image.sh /image pix-sandbox-*.tgz

FROM scratch
COPY --from=build /image /
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV HOME=/data PIX_SANDBOX_HOST=0.0.0.0
EXPOSE 7490
HEALTHCHECK --interval=5s --timeout=3s --start-period=5s CMD ["/usr/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PIX_SANDBOX_PORT ?? 7490}/_sandbox/health`).then(({ ok }) => process.exit(Number(!ok)))"]
ENTRYPOINT ["/usr/bin/node", "/app/bin/pix-sandbox.js"]
# Nothing is written: --read-only is possible. With a state: serve --state /data/state.json
CMD ["serve", "--memory"]
