import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/**
 * An in-memory server of MongoDB's wire protocol on each loopback port that is named as an argument.
 *
 * <p>Exit codes: 0 stopped by a signal, 2 a port cannot be had.
 */
public final class StandIn {
  public static void main(String[] ports) {
    for (String port : ports) {
      try {
        // The oldest version that current drivers talk to.
        MongoServer server = new MongoServer(new MemoryBackend().version(ServerVersion.MONGO_5_0));
        server.bind("127.0.0.1", Integer.parseInt(port));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
      } catch (RuntimeException error) {
        System.err.println("stand-in: port " + port + ": " + error.getMessage());
        System.exit(2);
      }
    }
    System.out.println("Waiting for connections on " + String.join(", ", ports));
  }
}
