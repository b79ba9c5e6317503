/**
 * For `./run-all.sh check`: loads each client of a system as a run would, and says on stderr what keeps it from that.
 */
for (const path of __ENV.CLIENTS.split('\n')) {
  try {
    require(path);
  } catch (error) {
    console.error(`CLIENT ${path} ${String(error).split('\n')[0]}`);
  }
}

export default function () {}
