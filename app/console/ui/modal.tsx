"use client";

import type { ModalProps } from "@mantine/core";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";

const load = () => import("./loaded-modal.tsx");
// Without `ssr: false` Next sets no boundary around it: the whole page would be hidden, and lose its focus, until it is there.
const LoadedModal = dynamic(() => load().then((module) => module.LoadedModal), { ssr: false });

/** By then the page is there. */
const LOAD_AFTER_MS = 3_000;

/**
 * Mantine's, whose code comes after the page's own: with the first dialog that is opened, or before,
 * once the page has had its time.
 */
export function Modal(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(props.opened);
  if (props.opened && !wasOpened) setWasOpened(true);
  useEffect(() => {
    // Where it cannot be had now, opening asks again and says so.
    const timer = setTimeout(() => void load().catch(() => {}), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return wasOpened && <LoadedModal {...props} />;
}
