#include "fused_products.hpp"

#include "graph_walk.hpp"

#include <optional>
#include <utility>

namespace oxide::jit {

namespace {

using ir::Variable;

class ProductFuser {
 public:
  explicit ProductFuser(ir::Body& body) : body_(body), definitions_(count_definitions(body)) {}

  void run() {
    known_.resize(body_.variables.size());
    for (std::size_t b = 0; b != body_.blocks.size(); ++b) {
      block_ = b + 1;
      std::vector<ir::Operation> out;
      for (ir::Operation op : std::exchange(body_.blocks[b].operations, {})) {
        rewrite(op, out);
        const Variable v = defined_by(op);
        std::optional<Product> product;
        if (op.opcode == ir::Opcode::mul && rounds(op.type)) product = Product{op.operands[0], op.operands[1]};
        else if (op.opcode == ir::Opcode::copy) product = product_of(op.operands[0]);
        else if (op.opcode == ir::Opcode::assign) product = product_of(op.operands[1]);
        if (v != ir::no_variable && v < known_.size()) known_[v] = {product, block_};
        out.push_back(op);
      }
      body_.blocks[b].operations = std::move(out);
    }
  }

 private:
  struct Product {
    Variable left, right;
  };
  struct Known {
    std::optional<Product> product;
    std::size_t block = 0;  // plus one
  };

  static bool rounds(ir::Type type) { return ir::is_floating(type) || ir::kind_of(type) == ir::TypeKind::pair; }

  std::optional<Product> product_of(Variable v) const {
    if (v >= known_.size() || (definitions_[v] == 2 && known_[v].block != block_)) return std::nullopt;
    return known_[v].product;
  }
  Variable fresh(ir::Type type) {
    body_.variables.push_back(type);
    return static_cast<Variable>(body_.variables.size() - 1);
  }
  Variable emit(std::vector<ir::Operation>& out, ir::Opcode opcode, Variable of, const ir::Location& location) {
    ir::Operation op;
    op.opcode = opcode;
    op.type = body_.variables[of];
    op.result = fresh(op.type);
    op.operands[0] = of;
    op.location = location;
    out.push_back(op);
    return op.result;
  }

  void rewrite(ir::Operation& op, std::vector<ir::Operation>& out) {
    if (!rounds(op.type)) return;
    if (op.opcode == ir::Opcode::mul) {  // the factors as they are now
      for (int i = 0; i != 2; ++i) {
        Variable& factor = op.operands[static_cast<std::size_t>(i)];
        if (factor < definitions_.size() && definitions_[factor] == 2) factor = emit(out, ir::Opcode::copy, factor, op.location);
      }
      return;
    }
    if (op.opcode != ir::Opcode::add && op.opcode != ir::Opcode::sub) return;
    const bool subtract = op.opcode == ir::Opcode::sub;
    const Variable left = op.operands[0], right = op.operands[1];
    if (const auto p = product_of(left)) {
      op.operands = {p->left, p->right, subtract ? emit(out, ir::Opcode::neg, right, op.location) : right};
    } else if (const auto q = product_of(right)) {
      op.operands = {subtract ? emit(out, ir::Opcode::neg, q->left, op.location) : q->left, q->right, left};
    } else {
      return;
    }
    op.opcode = ir::Opcode::fma;
  }

  ir::Body& body_;
  const std::vector<std::uint8_t> definitions_;
  std::vector<Known> known_;
  std::size_t block_ = 0;
};

}  // namespace

void fuse_products(ir::Graph& graph) {
  ProductFuser(graph).run();
  for (ir::Function& function : graph.functions) ProductFuser(function).run();
  graph.fp_mode = ir::FpMode::strict;
}

}  // namespace oxide::jit
