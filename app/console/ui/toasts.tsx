"use client";

import dynamic from "next/dynamic";
import { useSyncExternalStore } from "react";

import { onFirstToast, wasToasted } from "./toast.ts";

const ShownToasts = dynamic(() =>
  import("./mantine-notifications.ts").then((module) => module.Notifications),
);

/** Where toasts are shown; nothing is loaded for it before there is one. */
export function Toasts() {
  const isAsked = useSyncExternalStore(onFirstToast, wasToasted, () => false);
  return isAsked && <ShownToasts position="bottom-right" />;
}
