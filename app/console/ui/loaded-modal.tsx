"use client";

import { Modal, type ModalProps } from "@mantine/core";
import { useMounted } from "@mantine/hooks";

/** Opens only after mounting: Mantine returns focus only if it saw the dialog open. */
export function LoadedModal({ opened, ...props }: ModalProps) {
  const isMounted = useMounted();
  return <Modal {...props} opened={opened && isMounted} />;
}
