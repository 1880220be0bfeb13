import dgram from "node:dgram";
import { once } from "node:events";
import { familyOf } from "../../model/syntax/addresses";
import { errorCode } from "../errors";

/**
 * Sends a packet that only our own rules forbid. While they are in place the kernel refuses it, which takes one system
 * call to see; if it goes out, someone has flushed them.
 * @param probeAddress The address on our link that probes come from.
 * @returns A function that reports what seems to be missing; `link` may mean its address.
 */
export function createCanary(probeAddress: string): () => Promise<"rules" | "link" | undefined> {
  let socket: dgram.Socket | undefined;
  return async () => {
    try {
      const open = (socket ??= await connect(probeAddress));
      await new Promise<void>((resolve, reject) => open.send("", (error) => (error ? reject(error) : resolve())));
      return "rules";
    } catch (error) {
      const code = errorCode(error);
      if (code === "EPERM") return undefined;
      // Caused by an earlier packet that went out.
      if (code === "ECONNREFUSED") return "rules";
      socket?.close();
      socket = undefined;
      return "link";
    }
  };
}

async function connect(address: string): Promise<dgram.Socket> {
  const socket = dgram.createSocket(familyOf(address) === "IPv6" ? "udp6" : "udp4").unref();
  socket.bind({ address, exclusive: true }, () => socket.connect(53, address));
  try {
    await once(socket, "connect");
  } catch (error) {
    socket.close();
    throw error;
  }
  // We know that nothing listens there.
  return socket.on("error", () => undefined);
}
