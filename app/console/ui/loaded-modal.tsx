"use client";

import { Modal, type ModalProps } from "@mantine/core";
import { useMounted } from "@mantine/hooks";

/** Opens when it is there: the focus goes back only from a dialog that was seen to open. */
export function LoadedModal({ opened, ...props }: ModalProps) {
  const isMounted = useMounted();
  return <Modal {...props} opened={opened && isMounted} />;
}
