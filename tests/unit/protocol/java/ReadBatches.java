// Reads record batches with Kafka's own classes: one batch in hex a line in, its header and records as text out.
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Scanner;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

public class ReadBatches {
    static String hex(ByteBuffer bytes) {
        if (bytes == null) return "-";
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            StringBuilder out = new StringBuilder();
            byte[] data = HexFormat.of().parseHex(lines.nextLine());
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                batch.ensureValid();
                out.append(batch.baseOffset()).append(' ').append(batch.lastOffset()).append(' ')
                   .append(batch.partitionLeaderEpoch()).append(' ').append(batch.producerId()).append(' ')
                   .append(batch.producerEpoch()).append(' ').append(batch.baseSequence()).append(' ')
                   .append(batch.maxTimestamp()).append(' ').append(batch.compressionType().id).append(' ')
                   .append(batch.isTransactional()).append(' ').append(batch.isControlBatch());
                for (Record record : batch) {
                    record.ensureValid();
                    out.append('|').append(record.offset()).append(' ').append(record.timestamp()).append(' ')
                       .append(hex(record.key())).append(' ').append(hex(record.value()));
                    for (Header header : record.headers())
                        out.append(' ').append(HexFormat.of().formatHex(header.key().getBytes(java.nio.charset.StandardCharsets.UTF_8)))
                           .append('=').append(header.value() == null ? "-" : HexFormat.of().formatHex(header.value()));
                }
            }
            System.out.println(out);
        }
    }
}
