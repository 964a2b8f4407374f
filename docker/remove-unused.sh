#!/bin/sh
# Deletes what only builds and tests need from an installed and built Posthouse: two thirds of node_modules.
set -eu
cd "$(dirname "$0")/.."

rm -rf .next/cache .next/diagnostics .next/trace .next/trace-build .next/types
# The compiler, image optimization (the console has no images to optimize), and optional peers of packages.
rm -rf node_modules/@next/swc-* node_modules/@img node_modules/sharp node_modules/typescript \
  node_modules/playwright node_modules/playwright-core node_modules/@playwright node_modules/@types
find node_modules/.bin -xtype l -delete
find node_modules .next/server \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' \) -type f -delete
find node_modules \( -name '*.a' -o -name '*.development.js' \) -type f -delete
# Some READMEs have the license.
find node_modules -name '*.md' ! -iname '*license*' -type f ! -exec grep -qi 'permission is hereby granted' {} \; -delete
# Browser versions that the build compiles for, and the snapshots that new migrations are compared with.
rm -rf node_modules/caniuse-lite drizzle/migrations/meta/*_snapshot.json server/testing

next=node_modules/next/dist
rm -rf $next/docs $next/esm $next/bundle-analyzer $next/next-devtools
find $next/compiled/next-server \( -name '*.dev.js' -o -name '*-experimental.*' \) -delete
cd $next/compiled
# The server resolves webpack's other files, and @babel, when it starts.
rm -rf babel babel-packages webpack/bundle5.js terser next-devtools @vercel/og cssnano-simple postcss-preset-env \
  react-dom-experimental react-experimental react-server-dom-webpack-experimental \
  react-server-dom-turbopack-experimental scheduler-experimental
