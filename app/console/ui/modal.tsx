"use client";

import type { ModalProps } from "@mantine/core";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";

const load = () => import("./loaded-modal.tsx");
// Without `ssr: false` Next adds no Suspense boundary: loading would hide the whole page and drop its focus.
const LoadedModal = dynamic(() => load().then((module) => module.LoadedModal), { ssr: false });

/** Late enough not to compete with the page's own scripts. */
const LOAD_AFTER_MS = 3_000;

/** Mantine's modal, loaded with the first dialog or after `LOAD_AFTER_MS`, whichever comes first. */
export function Modal(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  useEffect(() => {
    // If this fails, opening a dialog retries and reports the error.
    const timer = setTimeout(() => void load().catch(() => {}), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasOpened && <LoadedModal {...props} />;
}
