"use client";

export { PageError as default } from "#app/console/page-error.tsx";
