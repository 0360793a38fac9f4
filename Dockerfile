# The service as an image: the package that `npm pack` gives, with the dependencies of
# package-lock.json. For amd64 and arm64. docs/OPERATIONS.md says how it is run.
FROM docker.io/library/node:24-trixie-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund \
 && cp node_modules/node/node_modules/node-linux-*/LICENSE node_modules/node/ \
 && npm pack \
 && npm prune --omit=dev --no-audit --no-fund --ignore-scripts \
 && mkdir /image \
 && tar -xzf strongroom-*.tgz -C /image --strip-components=1 \
 && mv node_modules /image
# What no running service reads: the bundler of the pages, and of each font the weights and formats
# that no statement uses.
RUN cd /image/node_modules \
 && rm -rf .bin .cache esbuild @esbuild \
 && find @fontsource -path '*/files/*' ! -name '*-[46]00-normal.woff' -delete \
 && find @fontsource \( -name '*.css' -o -name '*.scss' -o -name CHANGELOG.md \) -delete

FROM docker.io/library/debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libnss-extrausers tini \
 && rm -rf /var/lib/apt/lists/* \
 && sed -i 's/^passwd:.*/passwd: files extrausers/' /etc/nsswitch.conf \
 && useradd --uid 10001 --gid 0 --no-create-home --home-dir /data --shell /usr/sbin/nologin strongroom \
 # initdb wants a name for the id of its user. For an id that is not in /etc/passwd, the start writes
 # one into the volume.
 && ln -s /data/passwd /var/lib/extrausers/passwd \
 && mkdir /data && chown 10001:0 /data && chmod 0770 /data \
 && find / -xdev -perm /6000 -type f -exec chmod a-s {} +
COPY --from=build /image /opt/strongroom
COPY --chmod=0755 deploy/image/strongroom deploy/image/is-ready /usr/local/bin/
RUN ln -s /opt/strongroom/node_modules/node/bin/node /usr/local/bin/node
ENV NODE_ENV=production \
    STRONGROOM_DATA_DIR=/data/bank \
    STRONGROOM_HOST=0.0.0.0
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["is-ready"]
ENTRYPOINT ["tini", "--", "strongroom"]
CMD ["serve"]
