import dgram from "node:dgram";
import { familyOf } from "../../model/syntax/addresses";

/**
 * A packet that only our own rules forbid. The kernel refuses it while they are there, which costs one system call to see; that it lets
 * it go says that somebody flushed them.
 */
export interface Canary {
  /** `refused`: the rules are there. `sent`: they are gone. Otherwise the error: the address may be gone. */
  check(): Promise<"refused" | "sent" | NodeJS.ErrnoException>;
}

/** @param probeAddress The address on our link that probes come from. */
export function createCanary(probeAddress: string): Canary {
  let socket: dgram.Socket | undefined;

  async function open(): Promise<dgram.Socket> {
    const opened = dgram.createSocket(familyOf(probeAddress) === "IPv6" ? "udp6" : "udp4");
    opened.unref();
    await new Promise<void>((resolve, reject) => {
      opened.once("error", reject);
      opened.once("connect", resolve);
      opened.bind({ address: probeAddress, exclusive: true }, () => opened.connect(53, probeAddress));
    });
    opened.removeAllListeners("error");
    // That nobody listens there is known.
    opened.on("error", () => undefined);
    return opened;
  }

  return {
    async check() {
      try {
        socket ??= await open();
        const own = socket;
        await new Promise<void>((resolve, reject) => own.send("", (error) => (error ? reject(error) : resolve())));
        return "sent";
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EPERM") return "refused";
        // Of an earlier packet that went out.
        if (code === "ECONNREFUSED") return "sent";
        socket?.close();
        socket = undefined;
        return error as NodeJS.ErrnoException;
      }
    },
  };
}
