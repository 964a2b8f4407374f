"use client";

export { PageFailure as default } from "#app/console/page-failure.tsx";
